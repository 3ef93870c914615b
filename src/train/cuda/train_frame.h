// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/runtime.h"
#include "fernwood/core/array.h"
#include "train/window.h"

namespace fernwood::cuda {

/// A frame in GPU memory, as the response kernel needs it.
struct TrainFrame {
  FrameView view;                   ///< Planes in GPU memory; plane size and stride are multiples of kWindowStep.
  std::int32_t packed_planes;       ///< From the plane that counts a channel's known pixels to that of packed sums.
  std::int32_t most_packed_pixels;  ///< See most_packed_pixels(); of the channel that has unknown pixels.
};

/// Writes the plane of packed sums (see pack_sum) of a channel with a count plane, behind all planes.
void pack_plane(const FrameView& frame, std::int32_t channel, std::uint32_t* packed, const Stream& stream);

/// Writes table[index].
void write_table(const TrainFrame& frame, TrainFrame* table, std::uint32_t index, const Stream& stream);

}  // namespace fernwood::cuda
