// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <optional>

#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"

namespace fernwood::image {

/// A rotation and then a translation: of places as one camera sees them to places as another does.
struct RigidMotion {
  std::array<Vector3, 3> rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< Rows.
  Vector3 translation = {};                                               ///< In metres.

  Vector3 operator()(const Vector3& place) const {
    return {dot(rotation[0], place) + translation.x, dot(rotation[1], place) + translation.y,
            dot(rotation[2], place) + translation.z};
  }
};
/// First `first`, then `second`.
RigidMotion then(const RigidMotion& first, const RigidMotion& second);

/// Depth, and the camera that took it.
struct DepthView {
  const Array2<std::uint16_t>& depth_mm;
  Camera camera;

  /// In metres; for a pixel whose depth is known.
  Vector3 place(std::size_t row, std::size_t col) const {
    const float z = 0.001f * static_cast<float>(depth_mm(row, col));
    return {(static_cast<float>(col) - camera.cx) / camera.fx * z,
            (static_cast<float>(row) - camera.cy) / camera.fy * z, z};
  }
  /// The pixel that a place is seen in; nothing where that is behind the camera or outside of the frame.
  std::optional<std::array<std::size_t, 2>> pixel(const Vector3& place) const;
};
/// With the frame's camera, or the one that is assumed.
DepthView depth_view(const Frame& frame);

/// How a frame's places are seen by another frame of the same room a moment earlier or later: iterated closest points,
/// the distance to planes, partners by projection (Rusinkiewicz and Levoy, 3DIM 2001; Newcombe et al., ISMAR 2011,
/// section 3.5). For motions of some centimetres and degrees; others are put together of steps.
/// @return  Nothing when too little of the frames fits, or what fits leaves a motion open, as one wall does.
/// @throws Error(kUsage) in a build without Eigen.
std::optional<RigidMotion> register_frames(const DepthView& from, const DepthView& to);

}  // namespace fernwood::image
