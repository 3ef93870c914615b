// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/runtime.h"
#include "fernwood/core/array.h"
#include "train/window.h"

namespace fernwood::train {

/// Where a channel's sums and counts lie in one number, and the value that sums count from.
struct PackedPlane {
  std::int16_t plane = -1, least = 0;
};

/// A frame in GPU memory, as the response kernel needs it.
struct TrainFrame {
  image::FrameView view;  ///< Planes in GPU memory; plane size and stride are multiples of kWindowStep.
  PackedPlane packed[image::kMaxChannels];  ///< [channel] Of those with unknown pixels.
  std::int32_t most_packed_pixels;          ///< See most_packed_pixels(); of all channels that have unknown pixels.
};

/// Writes the plane of packed sums (see pack_sum) of a channel with a count plane.
void pack_plane(const TrainFrame& frame, std::int32_t channel, std::uint32_t* planes, const cuda::Stream& stream);

/// Writes table[index].
void write_table(const TrainFrame& frame, TrainFrame* table, std::uint32_t index, const cuda::Stream& stream);

}  // namespace fernwood::train
