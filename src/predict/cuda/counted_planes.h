// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::cuda {

/// Planes of the channels that have unknown pixels, with each sum beside its count: one read brings both.
struct CountedPlanes {
  const uint2* pairs = nullptr;  ///< [num_planes][plane_size] x: sum, y: count
  std::int32_t num_planes = 0;
  std::int32_t num_channels = 0;

  /// The plane of a channel, or -1 when all its pixels are known: planes of counts lie behind those of the channels.
  FW_HD std::int32_t pair_plane(const FrameView& frame, std::int32_t channel) const {
    return frame.count_plane[channel] < 0 ? -1 : frame.count_plane[channel] - num_channels;
  }
};

/// Enqueues the pairing of a frame's planes. @param pairs  Resized.
CountedPlanes pair_planes(const FrameView& frame, std::int32_t num_channels, GpuBuffer<uint2>& pairs,
                          const Stream& stream);

}  // namespace fernwood::cuda
