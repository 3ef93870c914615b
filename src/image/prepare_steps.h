// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Steps of preparing a frame that every device begins with.

#include <cstddef>
#include <cstdint>

#include "fernwood/image/prepared_frame.h"

namespace fernwood::image {

/// @throws Error(kData) when the frame lacks what `preparation` needs, does not fit together or is too large;
/// Error(kUsage) for more channels than are possible.
void check_frame(const Frame& frame, const Preparation& preparation);

/// Whether filling changes anything that the channels read.
bool fills_depth(const Preparation& preparation);

/// Whether no depth is unknown, once simple filling, if `will_be_filled`, has passed.
bool is_depth_complete(const Array2<std::uint16_t>& depth_mm, bool will_be_filled);

/// What took a frame, for frames of any size.
Camera camera_of(const Frame& frame, const Preparation& preparation);

/// Where the planes of a frame lie.
struct PlaneLayout {
  FrameView view;  ///< `planes` is null.
  std::size_t num_sums = 0;
  std::int32_t num_planes() const {
    return static_cast<std::int32_t>(num_sums / static_cast<std::size_t>(view.plane_size));
  }
};

/// @param depth_complete  No depth is unknown. Else there is one plane that counts known pixels, behind the channels,
///                        for all that follow depth.
/// @param stride_step  The stride is cols + 1, rounded up to a multiple of this.
/// @throws Error(kData) when the planes have more than 2^31 numbers.
PlaneLayout layout_planes(std::size_t rows, std::size_t cols, const ChannelLayout& channels, bool depth_complete,
                          std::size_t stride_step = 1);

}  // namespace fernwood::image
