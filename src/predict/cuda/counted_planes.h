// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::predict {

/// Planes of the channels that have unknown pixels, with each sum beside its count: one read brings both.
struct CountedPlanes {
  const uint2* pairs = nullptr;  ///< [num_planes][plane_size] x: sum, y: count
  std::int32_t num_planes = 0;
  std::int8_t plane_of[image::kMaxChannels] = {};  ///< [channel] Its plane, or -1 when all its pixels are known.
};

/// Enqueues the pairing of a frame's planes. @param pairs  Resized.
CountedPlanes pair_planes(const image::FrameView& frame, std::int32_t num_channels, cuda::GpuBuffer<uint2>& pairs,
                          const cuda::Stream& stream);

}  // namespace fernwood::predict
