// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/image/prepared_frame.h"

namespace fernwood::evaluate {

/// A prepared frame that has some of its channels from another.
class MixedFrame {
 public:
  /// @param own, other    Prepared alike, of the same size.
  /// @param from_other    [channel] whether it is the other's. @param other_maps  Whether the feature maps are.
  void mix(const image::FrameView& own, const image::FrameView& other, const std::vector<bool>& from_other,
           bool other_maps);
  image::FrameView view() const;

 private:
  image::FrameView layout_;  // sums and pairs are null; view() sets them
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint64_t> pairs_;
};

}  // namespace fernwood::evaluate
