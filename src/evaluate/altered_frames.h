// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::evaluate {

using dataset::LabelledFrame;

/// The frame rotated about the optical axis, as a tilted camera would have recorded it, for measuring accuracy on
/// frames of a camera that was not held upright. Each pixel is the nearest one of `frame`; beyond its borders colour is
/// black, depth is unknown and the label is kVoid. The size, the camera and Frame::up are not changed: the result does
/// not record the rotation, and has no instances.
/// @param labels   Labels of the frame's size.
/// @param degrees  Clockwise angle about the principal point, or about the middle of the image if the frame has no
///                 camera. Multiples of 90 are exact.
/// @throws Error(kUsage) for labels of another size and for an angle that is not finite.
LabelledFrame rotated(const image::Frame& frame, const image::LabelImage& labels, double degrees);

/// A prepared frame in which some channels are replaced by those of another frame.
class MixedFrame {
 public:
  /// @param own, other   Frames of the same size and preparation.
  /// @param from_other   [channel] Whether the channel is taken from `other`.
  /// @param other_maps   Whether the feature maps are taken from `other`.
  void mix(const image::FrameView& own, const image::FrameView& other, const std::vector<bool>& from_other,
           bool other_maps);
  image::FrameView view() const;

 private:
  image::FrameView layout_;  // sums and pairs are null here; view() sets them
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint64_t> pairs_;
};

}  // namespace fernwood::evaluate
