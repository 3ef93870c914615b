// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <optional>

#include "fernwood/core/parallel.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/rigid_motion.h"
#include "image/geometry.h"
#include "image/registration_formula.h"

namespace fernwood::image {

/// Depths that differ by this share of the farther are of one surface: noise and the rounding to pixels; what stands in
/// front differs by more.
inline constexpr float kVisibleShare = 0.02f;

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
  /// The same where depth there is that of the place, to within kVisibleShare: nothing stands in front, and the place
  /// is not empty now.
  std::optional<std::array<std::size_t, 2>> visible_pixel(const Vector3& place) const;
};
/// Of frames of its size: the frame's own, or the one that is assumed.
Camera camera_of(const FrameImages& frame);
DepthView depth_view(const Frame& frame);

/// The surfaces of a frame, which is compared with others.
struct FrameSurfaces {
  Surfaces surfaces;
  Camera camera;  ///< Of the frame's size.

  SurfaceView view() const;
};
FrameSurfaces surfaces_of(const DepthView& frame, ThreadPool* pool = nullptr);

/// How a frame's places are seen by another frame of the same room a moment earlier or later: iterated closest points,
/// the distance to planes, partners by projection (Rusinkiewicz and Levoy, 3DIM 2001; Newcombe et al., ISMAR 2011,
/// section 3.5). For motions of some centimetres and degrees; others are put together of steps. The same on every
/// device and number of threads.
/// @param start  About what the motion is, as that of the frames before.
/// @param pool   Whose threads do it; null: the calling one alone.
/// @return  Nothing when too little of the frames fits, or what fits leaves a motion open, as one wall does.
std::optional<RigidMotion> register_surfaces(const FrameSurfaces& from, const FrameSurfaces& to,
                                             const RigidMotion& start = {}, ThreadPool* pool = nullptr);
/// The same of two frames.
std::optional<RigidMotion> register_frames(const DepthView& from, const DepthView& to);

}  // namespace fernwood::image
