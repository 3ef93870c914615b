// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Steps of preparing a frame that every device begins with.

#include <cstddef>
#include <cstdint>

#include "fernwood/image/prepared_frame.h"

namespace fernwood {

/// @throws Error(kData) when the frame lacks what `preparation` needs, does not fit together or is too large;
/// Error(kUsage) for more channels than are possible.
void check_frame(const Frame& frame, const Preparation& preparation);

/// Whether filling changes anything that the channels read.
bool fills_depth(const Preparation& preparation);

/// Whether no depth is unknown, once simple filling, if `will_be_filled`, has passed.
bool is_depth_complete(const Array2<std::uint16_t>& depth_mm, bool will_be_filled);

/// Where the planes of a frame lie.
struct PlaneLayout {
  FrameView view;  ///< `planes` is null.
  std::size_t num_sums = 0;
};

/// @param has_unknown  [channel] whether it gets a plane that counts known pixels; bit c is channel c.
/// @param stride_step  The stride is cols + 1, rounded up to a multiple of this.
/// @throws Error(kData) when the planes have more than 2^31 numbers.
PlaneLayout layout_planes(std::size_t rows, std::size_t cols, const ChannelLayout& channels, std::uint64_t has_unknown,
                          std::size_t stride_step = 1);

}  // namespace fernwood
