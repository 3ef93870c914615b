// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/image/prepared_frame.h"

namespace fernwood::evaluate {

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
