// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 2 of preparing a frame: prefix sums along the columns, in place.
// One block per (32 columns, plane). A warp reads rows of 32 columns; each of the 32 warps holds kRows rows of a tile
// in registers, so that memory is read and written once, and warps add the totals of those above them.

#include "core/cuda/launch.cuh"
#include "image/cuda/column_sums.h"

namespace fernwood::image {

namespace {

constexpr int kColumns = 32, kSegments = 32, kRows = 16, kTile = kSegments * kRows;

__global__ void __launch_bounds__(kColumns* kSegments)
    column_sums_kernel(std::uint32_t* planes, std::int32_t rows, std::int32_t stride, std::int32_t plane_size) {
  __shared__ std::uint32_t totals[kSegments][kColumns];
  const int column = blockIdx.x * kColumns + threadIdx.x, segment = threadIdx.y;
  const bool inside = column < stride;
  std::uint32_t* const plane = planes + static_cast<std::size_t>(blockIdx.y) * plane_size + column;
  std::uint32_t carry = 0;
  for (int tile = 0; tile < rows; tile += kTile) {
    const int first = tile + segment * kRows;
    std::uint32_t sums[kRows];
#pragma unroll
    for (int i = 0; i < kRows; ++i)
      sums[i] = inside && first + i < rows ? plane[static_cast<std::size_t>(first + i) * stride] : 0;
#pragma unroll
    for (int i = 1; i < kRows; ++i) sums[i] += sums[i - 1];
    totals[segment][threadIdx.x] = sums[kRows - 1];
    __syncthreads();
    std::uint32_t above = carry;
#pragma unroll
    for (int s = 0; s < kSegments; ++s) {
      const std::uint32_t total = totals[s][threadIdx.x];
      above += s < segment ? total : 0;
      carry += total;
    }
    __syncthreads();  // before the next tile's totals
#pragma unroll
    for (int i = 0; i < kRows; ++i)
      if (inside && first + i < rows) plane[static_cast<std::size_t>(first + i) * stride] = sums[i] + above;
  }
}

}  // namespace

void column_sums(const FrameView& layout, std::uint32_t* planes, std::int32_t num_planes, const cuda::Stream& stream) {
  const dim3 grid(cuda::blocks_for(static_cast<std::size_t>(layout.stride), kColumns), num_planes);
  cuda::launch("column sums", column_sums_kernel, grid, dim3(kColumns, kSegments), 0, stream, planes, layout.rows + 1,
               layout.stride, layout.plane_size);
}

}  // namespace fernwood::image
