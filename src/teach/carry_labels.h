// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fernwood/image/camera.h"
#include "fernwood/image/labels.h"
#include "image/registration.h"

namespace fernwood::teach {

/// A frame with labels, and the pose of its camera in the room.
struct LabelledView {
  /// @param pose     From camera coordinates to room coordinates.
  /// @param numbers  [rows][cols] class numbers, kVoid where unlabelled.
  LabelledView(image::RigidMotion pose, const image::Camera& camera, Array2<std::uint16_t> depth_mm,
               image::LabelImage numbers);
  image::DepthView depth() const { return {depth_mm, camera}; }

  image::RigidMotion pose;
  image::Camera camera;  ///< For the frame's size.
  Array2<std::uint16_t> depth_mm;
  image::LabelImage numbers;
  std::vector<std::uint32_t> labelled;  ///< Pixels whose label and depth are known, ascending.
  image::Vector3 least, most;           ///< Bounding box of their points, in camera coordinates.
};

/// Maximum number of source frames for a target: those of whose labels most are visible there.
inline constexpr std::size_t kMaxSources = 16;

/// Labels that a frame receives from others.
struct HandedLabels {
  image::LabelImage numbers;            ///< [rows][cols] class numbers, kVoid where no label is received.
  std::vector<std::size_t> num_pixels;  ///< [source] Pixels for which it agrees with the result.
};
/// False if no labelled point is within the camera's image, occluded or not; otherwise usually true.
bool may_see(const LabelledView& from, const image::RigidMotion& pose, const image::Camera& camera);

/// Transfers labels of some frames to another that sees the same surface: where its depth agrees with the source's
/// depth of that point to within image::kVisibleShare. If sources disagree on a pixel, the class with the most sources
/// wins; on a tie, the class of the source that saw the point from nearest, in whole mm; then that of the first such
/// source. A source is ignored if more of its surface is seen through than confirmed: then the poses are wrong, or the
/// room has changed. The result does not depend on the number of threads.
/// @param pose  Pose of `to` in the common room.
HandedLabels carry_labels(std::span<const LabelledView* const> from, const image::DepthView& to,
                          const image::RigidMotion& pose);

}  // namespace fernwood::teach
