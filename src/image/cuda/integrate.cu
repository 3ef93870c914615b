// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 2 of preparing a frame: prefix sums along the columns, in place. One block per (32 columns, plane). A warp
// reads rows of 32 columns; each of the 32 warps holds kRows rows of a tile in registers, so that memory is read and
// written once, and adds the totals of the warps above. Context channels, which are added later, take prefix sums along
// the rows first: one block per (row of the planes, class); its threads process adjacent pixels, tile by tile.

#include <cub/block/block_scan.cuh>

#include "core/cuda/launch.cuh"
#include "image/cuda/frame_preparer.h"
#include "image/cuda/prepare_kernels.h"

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
    __syncthreads();  // before the next tile overwrites the totals
#pragma unroll
    for (int i = 0; i < kRows; ++i)
      if (inside && first + i < rows) plane[static_cast<std::size_t>(first + i) * stride] = sums[i] + above;
  }
}

constexpr int kThreads = 256;

/// Writes the prefix sums of a row of pixels. @param out  [cols + 1]
__device__ void sum_context_row(const ContextMap& map, std::int32_t y, std::int32_t cols, std::uint32_t* out) {
  using Scan = cub::BlockScan<std::uint32_t, kThreads>;
  __shared__ typename Scan::TempStorage scratch;
  const ContextPlace down = context_place(y, map.rows);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) out[0] = 0;
  std::uint32_t carry = 0;
  for (int first = 0; first < cols; first += kThreads) {
    const int x = first + thread;
    std::uint32_t sum = 0, total;
    if (x < cols) sum = static_cast<std::uint32_t>(context_value(map, context_place(x, map.cols), down));
    Scan(scratch).InclusiveSum(sum, sum, total);
    if (x < cols) out[x + 1] = carry + sum;
    carry += total;
    __syncthreads();  // before the next tile overwrites the scratch memory
  }
}

__global__ void __launch_bounds__(kThreads) context_rows_kernel(ContextPlanesArgs a) {
  const auto row = static_cast<std::int32_t>(blockIdx.x);  // of the planes, which have one row above the image's first
  std::uint32_t* const out = a.planes + static_cast<std::size_t>(blockIdx.y) * a.layout.plane_size +
                             static_cast<std::size_t>(row) * a.layout.stride;
  // The row above the image and the columns that only pad the stride are 0.
  for (int x = (row == 0 ? 0 : a.layout.cols + 1) + threadIdx.x; x < a.layout.stride; x += kThreads) out[x] = 0;
  if (row == 0) return;
  const std::int32_t rows = context_cells(a.layout.rows), cols = context_cells(a.layout.cols);
  const std::uint8_t* values = a.maps + static_cast<std::size_t>(blockIdx.y) * rows * cols;
  sum_context_row({values, rows, cols}, row - 1, a.layout.cols, out);
}

}  // namespace

void column_sums(const PlanesView& layout, std::uint32_t* planes, std::int32_t num_planes, const cuda::Stream& stream) {
  const dim3 grid(cuda::blocks_for(static_cast<std::size_t>(layout.stride), kColumns), num_planes);
  cuda::launch("column sums", column_sums_kernel, grid, dim3(kColumns, kSegments), 0, stream, planes, layout.rows + 1,
               layout.stride, layout.plane_size);
}

void context_planes(const ContextPlanesArgs& args, const cuda::Stream& stream) {
  const dim3 grid(args.layout.rows + 1, args.num_classes);
  cuda::launch("context rows", context_rows_kernel, grid, kThreads, 0, stream, args);
  column_sums(args.layout, args.planes, args.num_classes, stream);
}

}  // namespace fernwood::image
