// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 0 of labelling: sums beside counts, for channels with unknown pixels.
// One thread per number of a plane, a launch for each such channel: those that follow depth.

#include "core/cuda/launch.cuh"
#include "predict/cuda/counted_planes.h"

namespace fernwood::predict {

namespace {

constexpr int kThreads = 256;

__global__ void pair_plane_kernel(const std::uint32_t* sums, const std::uint32_t* counts, std::int32_t size,
                                  uint2* pairs) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < size) pairs[i] = {sums[i], counts[i]};
}

}  // namespace

CountedPlanes pair_planes(const image::FrameView& frame, std::int32_t num_channels, cuda::GpuBuffer<uint2>& pairs,
                          const cuda::Stream& stream) {
  const auto plane_size = static_cast<std::size_t>(frame.plane_size);
  CountedPlanes counted;
  for (int c = 0; c < image::kMaxChannels; ++c)
    counted.plane_of[c] =
        static_cast<std::int8_t>(c < num_channels && frame.count_plane[c] >= 0 ? counted.num_planes++ : -1);
  pairs.resize(static_cast<std::size_t>(counted.num_planes) * plane_size);
  counted.pairs = pairs.data();
  for (std::int32_t c = 0; c < num_channels; ++c) {
    const std::int32_t pair_plane = counted.plane_of[c];
    if (pair_plane < 0) continue;
    const auto plane = [&](std::int32_t p) { return frame.planes + static_cast<std::size_t>(p) * plane_size; };
    cuda::launch("pair planes", pair_plane_kernel, cuda::blocks_for(plane_size, kThreads), kThreads, 0, stream,
                 plane(c), plane(frame.count_plane[c]), frame.plane_size,
                 pairs.data() + static_cast<std::size_t>(pair_plane) * plane_size);
  }
  return counted;
}

}  // namespace fernwood::predict
