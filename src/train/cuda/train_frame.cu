// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Sums and counts of a channel's known pixels in one plane: a thread for each number. And the table of frames, whose
// entries travel as arguments, so that the host need not keep them.

#include "train/cuda/train_frame.h"

#include "core/cuda/launch.cuh"

namespace fernwood::train {

namespace {

__global__ void pack_plane_kernel(const std::uint32_t* sums, const std::uint32_t* counts, std::uint32_t* packed,
                                  std::int32_t least, std::uint32_t size) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) packed[i] = pack_sum(sums[i], counts[i], least);
}

__global__ void write_table_kernel(TrainFrame frame, TrainFrame* table, std::uint32_t index) { table[index] = frame; }

}  // namespace

void pack_plane(const TrainFrame& frame, std::int32_t channel, std::uint32_t* planes, const cuda::Stream& stream) {
  const auto size = static_cast<std::uint32_t>(frame.view.plane_size);
  const PackedPlane packed = frame.packed[channel];
  const auto plane = [&](std::int32_t index) { return planes + static_cast<std::size_t>(index) * size; };
  const std::uint32_t *sums = plane(channel), *counts = plane(frame.view.count_plane[channel]);
  cuda::launch("packing sums", pack_plane_kernel, cuda::blocks_for(size, 256), 256, 0, stream, sums, counts,
               plane(packed.plane), packed.least, size);
}

void write_table(const TrainFrame& frame, TrainFrame* table, std::uint32_t index, const cuda::Stream& stream) {
  cuda::launch("noting a frame", write_table_kernel, 1, 1, 0, stream, frame, table, index);
}

}  // namespace fernwood::train
