// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::image {

/// Integral images of a frame as prepared by a GPU, passable to kernels by value: a plane of sums for each channel,
/// followed by one plane that counts the known pixels for all channels with unknown ones. All are modulo 2^32.
/// Labelling and training copy the planes that they read most into layouts of their own.
struct PlanesView {
  const std::uint32_t* planes = nullptr;  ///< [plane][plane_size]
  std::int32_t rows = 0, cols = 0;
  std::int32_t stride = 0;                      ///< At least cols + 1.
  std::int32_t plane_size = 0;                  ///< (rows + 1) * stride.
  std::int32_t depth_channel = -1;              ///< See ChannelLayout::depth_channel.
  std::int32_t count_plane[kMaxChannels] = {};  ///< [channel] -1: all its pixels are known.
  MapsView maps;                                ///< In device memory.
};

// For the formulas of forest/planes_formulas.h, whose templates find these functions here.

FW_HD constexpr bool skips_unused(const PlanesView&) { return false; }
FW_HD float map_at(const PlanesView& frame, std::int32_t map, std::int32_t x, std::int32_t y) {
  return map_value(frame.maps, map, x, y);
}
FW_HD std::int32_t count_plane_of(const PlanesView& frame, std::int32_t channel) { return frame.count_plane[channel]; }

}  // namespace fernwood::image
