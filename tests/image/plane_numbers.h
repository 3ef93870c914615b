// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/image/prepared_frame.h"

namespace fernwood::image {

/// All values of a frame's planes, channel by channel, of both kinds of plane (sums, and sums with counts).
inline std::vector<std::uint64_t> plane_numbers(const FrameView& view, int num_channels) {
  std::vector<std::uint64_t> numbers;
  for (int c = 0; c < num_channels; ++c)
    for (std::int32_t i = 0; i < view.plane_size; ++i)
      numbers.push_back(view.pair_plane[c] >= 0 ? view.pairs[view.pair_plane[c] * view.plane_size + i]
                                                : view.sums[view.sum_plane[c] * view.plane_size + i]);
  return numbers;
}

}  // namespace fernwood::image
