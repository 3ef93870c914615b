// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <optional>

#include "fernwood/core/parallel.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "image/geometry.h"
#include "image/registration_formula.h"

namespace fernwood::image {

/// Two depths belong to one surface if they differ by at most this share of the farther one: noise and the rounding to
/// pixels stay below it, occluding objects differ by more.
inline constexpr float kVisibleShare = 0.02f;

/// A depth image with its camera.
struct DepthView {
  const Array2<std::uint16_t>& depth_mm;
  Camera camera;

  /// Coordinates in metres of a pixel whose depth is known.
  Vector3 place(std::size_t row, std::size_t col) const {
    const float z = 0.001f * static_cast<float>(depth_mm(row, col));
    return {(static_cast<float>(col) - camera.cx) / camera.fx * z,
            (static_cast<float>(row) - camera.cy) / camera.fy * z, z};
  }
  /// The pixel in which a point is seen; empty when it is behind the camera or outside the frame.
  std::optional<std::array<std::size_t, 2>> pixel(const Vector3& place) const;
  /// As pixel(), if the depth there matches that of the point to within kVisibleShare: the point is neither occluded
  /// nor vacated.
  std::optional<std::array<std::size_t, 2>> visible_pixel(const Vector3& place) const;
};
/// The camera for frames of its size: the frame's own, or the assumed one.
Camera camera_of(const FrameImages& frame);
DepthView depth_view(const Frame& frame);

/// The surfaces of a frame, for registration with other frames.
struct FrameSurfaces {
  Surfaces surfaces;
  Camera camera;  ///< For the frame's size.

  SurfaceView view() const;
};
FrameSurfaces surfaces_of(const DepthView& frame, ThreadPool* pool = nullptr);

/// Motion between a frame and another one of the same room shortly before or after: iterated closest points with
/// point-to-plane distances and projective association (Rusinkiewicz and Levoy, 3DIM 2001; Newcombe et al., ISMAR 2011,
/// section 3.5). For motions of some centimetres and degrees; larger ones are composed of steps. The result is the same
/// on every device and for any number of threads.
/// @param start  Approximate motion, for example that of the previous frames.
/// @param pool   Threads to use; null: only the calling thread.
/// @return  Empty when too little of the frames matches, or when the matches leave a motion undetermined, as a single
/// wall does.
std::optional<RigidMotion> register_surfaces(const FrameSurfaces& from, const FrameSurfaces& to,
                                             const RigidMotion& start = {}, ThreadPool* pool = nullptr);
/// As register_surfaces(), for two depth images.
std::optional<RigidMotion> register_frames(const DepthView& from, const DepthView& to);

}  // namespace fernwood::image
