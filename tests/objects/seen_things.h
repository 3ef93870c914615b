// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A floor and a wall with boxes before it, seen by a depth camera.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"

namespace fernwood::objects {

/// Classes of the scene: "wall" is that of the floor, too.
inline constexpr std::uint16_t kWall = 0, kCup = 1, kCase = 2;
inline image::ClassMap thing_classes() {
  return {{{"wall", {90, 90, 90}}, {"cup", {200, 0, 0}}, {"case", {0, 0, 200}}}, {image::Rgb{}}, {}};
}

/// A box whose sides are parallel to the axes of the room: x right, y down, z ahead. Its class may be kWall.
struct SeenThing {
  std::uint16_t label;
  image::Vector3 center, size;
};

struct SeenFrame {
  image::Frame frame;  ///< Depth only.
  image::LabelImage labels;
  image::RigidMotion pose;

  image::FrameImages images() const {
    image::FrameImages images(frame);
    images.pose = pose;
    return images;
  }
};

/// A camera at (x, y, z), turned to the right by an angle in radians.
inline image::RigidMotion camera_at(float x, float y, float z, float angle = 0) {
  const float sine = std::sin(angle), cosine = std::cos(angle);
  return {{{cosine, 0, sine}, {0, 1, 0}, {-sine, 0, cosine}}, {x, y, z}};
}

/// The floor is at y = 0.7, the wall at z = 3.
inline SeenFrame see_things(const std::vector<SeenThing>& things, const image::RigidMotion& pose) {
  constexpr std::size_t kRows = 240, kCols = 320;
  SeenFrame seen;
  seen.pose = pose;
  seen.frame.camera = image::assumed_camera(kCols, kRows);
  seen.frame.depth_mm = Array2<std::uint16_t>(kRows, kCols);
  seen.labels = image::LabelImage(kRows, kCols, kWall);
  const image::Camera& camera = *seen.frame.camera;
  const float eye[3] = {pose.translation.x, pose.translation.y, pose.translation.z};
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t col = 0; col < kCols; ++col) {
      const image::Vector3 ray = {(static_cast<float>(col) - camera.cx) / camera.fx,
                                  (static_cast<float>(row) - camera.cy) / camera.fy, 1};
      const float way[3] = {dot(pose.rotation[0], ray), dot(pose.rotation[1], ray), dot(pose.rotation[2], ray)};
      float depth = std::numeric_limits<float>::max();
      for (const auto& [axis, place] : {std::pair{1, 0.7f}, std::pair{2, 3.0f}})
        if (way[axis] > 1e-6f) depth = std::min(depth, (place - eye[axis]) / way[axis]);
      for (const SeenThing& thing : things) {
        const float center[3] = {thing.center.x, thing.center.y, thing.center.z},
                    size[3] = {thing.size.x, thing.size.y, thing.size.z};
        float enter = 0, leave = std::numeric_limits<float>::max();
        for (int axis = 0; axis < 3; ++axis) {
          const float slope = way[axis] == 0 ? 1e-9f : way[axis];
          const float a = (center[axis] - size[axis] / 2 - eye[axis]) / slope,
                      b = (center[axis] + size[axis] / 2 - eye[axis]) / slope;
          enter = std::max(enter, std::min(a, b));
          leave = std::min(leave, std::max(a, b));
        }
        if (enter <= 0 || enter >= leave || enter >= depth) continue;
        depth = enter;
        seen.labels(row, col) = thing.label;
      }
      seen.frame.depth_mm(row, col) = image::to_depth_mm(depth);
    }
  return seen;
}

}  // namespace fernwood::objects
