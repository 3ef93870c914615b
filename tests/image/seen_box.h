// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A room with a box, seen by a depth camera from a given pose, for tests of registration.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fernwood/image/labels.h"
#include "image/registration.h"

namespace fernwood::image {

struct BoxRoom {
  Frame frame;        ///< Depth only.
  LabelImage labels;  ///< 0: the room, 1: the box.
};

/// A motion from angles about the axes in radians, the last one applied first, and a translation in metres.
inline RigidMotion motion_of(Vector3 angles, Vector3 metres) {
  const auto about = [](int axis, float angle) {
    const float c = std::cos(angle), s = std::sin(angle);
    RigidMotion turn;
    if (axis == 0) turn = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
    if (axis == 1) turn = {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
    if (axis == 2) turn = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    return turn;
  };
  RigidMotion motion = then(then(about(2, angles.z), about(1, angles.y)), about(0, angles.x));
  motion.translation = metres;
  return motion;
}

/// A camera that looks down at the box, and past it into the corner on its right: the visible surfaces constrain the
/// registration in all directions.
inline RigidMotion looking_down() {
  return then(motion_of({-0.25f, 0, 0}, {}), motion_of({0, 0.35f, 0}, {-0.4f, -0.3f, 0}));
}

/// @param pose  From the camera's frame to the room's: x right, y down, z ahead, in metres. The room measures 5 x 2.5 x
///              5 around (0, 0, 2), and the box stands on its floor.
inline BoxRoom see_box_room(const RigidMotion& pose, std::size_t cols = 160, std::size_t rows = 120) {
  struct Box {
    Vector3 least, most;
  };
  constexpr Box kRoom = {{-2.5f, -1.5f, -0.5f}, {2.5f, 1.0f, 4.5f}}, kBox = {{-0.2f, 0.3f, 2.0f}, {0.7f, 1.0f, 2.6f}};
  BoxRoom seen;
  seen.frame.camera = assumed_camera(cols, rows);
  seen.frame.depth_mm = Array2<std::uint16_t>(rows, cols);
  seen.labels = LabelImage(rows, cols, 0);
  const Camera& camera = *seen.frame.camera;
  const Vector3 eye = pose.translation;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col) {
      const Vector3 ray = {(static_cast<float>(col) - camera.cx) / camera.fx,
                           (static_cast<float>(row) - camera.cy) / camera.fy, 1};
      const Vector3 way = {dot(pose.rotation[0], ray), dot(pose.rotation[1], ray), dot(pose.rotation[2], ray)};
      const auto times = [&](const Box& box) {  // parameters at which the ray enters and leaves the box
        float enters = -std::numeric_limits<float>::infinity(), leaves = std::numeric_limits<float>::infinity();
        const std::array<std::array<float, 4>, 3> axes = {{{eye.x, way.x, box.least.x, box.most.x},
                                                           {eye.y, way.y, box.least.y, box.most.y},
                                                           {eye.z, way.z, box.least.z, box.most.z}}};
        for (const auto& [from, by, least, most] : axes) {
          enters = std::max(enters, std::min((least - from) / by, (most - from) / by));
          leaves = std::min(leaves, std::max((least - from) / by, (most - from) / by));
        }
        return std::array<float, 2>{enters, leaves};
      };
      const auto box = times(kBox);
      const bool hits_box = box[0] > 0 && box[0] < box[1];
      const float z = hits_box ? box[0] : times(kRoom)[1];  // the parameter is the depth, as z of the ray is 1
      seen.frame.depth_mm(row, col) = static_cast<std::uint16_t>(std::lround(1000 * z));
      seen.labels(row, col) = hits_box;
    }
  return seen;
}

}  // namespace fernwood::image
