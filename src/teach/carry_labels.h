// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fernwood/image/labels.h"
#include "fernwood/image/rigid_motion.h"
#include "image/registration.h"

namespace fernwood::teach {

/// A frame with labels, and the place in the room that it was taken from.
struct LabelledView {
  /// @param pose     Of places as the camera sees them to places in the room.
  /// @param numbers  [rows][cols] numbers of classes, kVoid where there is none.
  LabelledView(image::RigidMotion pose, const image::Camera& camera, Array2<std::uint16_t> depth_mm,
               image::LabelImage numbers);
  image::DepthView depth() const { return {depth_mm, camera}; }

  image::RigidMotion pose;
  image::Camera camera;  ///< Of the frame's size.
  Array2<std::uint16_t> depth_mm;
  image::LabelImage numbers;
  std::vector<std::uint32_t> labelled;  ///< Pixels whose label and depth are known, ascending.
  image::Vector3 least, most;           ///< Of their places, as the camera sees them.
};

/// Frames that hand labels to one, at most: those of which most labels are seen there.
inline constexpr std::size_t kMostSources = 16;

/// What a frame is handed by others.
struct HandedLabels {
  image::LabelImage numbers;            ///< [rows][cols] numbers of classes, kVoid where none is handed on.
  std::vector<std::size_t> num_pixels;  ///< [source] That it agrees with.
};
/// False where no labelled place is within the pictures of a camera, whatever stands in front; else mostly true.
bool may_see(const LabelledView& from, const image::RigidMotion& pose, const image::Camera& camera);

/// Labels of some frames as another sees the same surface: where its depth, seen from their places, is what they have
/// there, to within image::kVisibleShare. Of several classes at a pixel, that which most frames say; of as many, that
/// of the frame that saw the place from nearest, in whole mm; then that of the first of them. A frame counts for
/// nothing where more of its surface is looked through than found: poses do not fit, or the room has changed.
/// The same on every number of threads.
/// @param pose  Of `to`, in the room of them all.
HandedLabels carry_labels(std::span<const LabelledView* const> from, const image::DepthView& to,
                          const image::RigidMotion& pose);

}  // namespace fernwood::teach
