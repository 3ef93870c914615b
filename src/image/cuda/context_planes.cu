// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Context channels: prefix sums along the rows, which column_sums() completes.
// One block per (row of the planes, class); its threads take neighbouring pixels, tile after tile.

#include "image/cuda/context_planes.h"

#include <cub/block/block_scan.cuh>

#include "core/cuda/launch.cuh"
#include "image/cuda/column_sums.h"

namespace fernwood::image {

namespace {

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
    __syncthreads();  // before the next tile's scratch
  }
}

__global__ void __launch_bounds__(kThreads) context_rows_kernel(ContextPlanesArgs a) {
  const auto row = static_cast<std::int32_t>(blockIdx.x);  // of the planes: one above the image's first
  std::uint32_t* const out = a.planes + static_cast<std::size_t>(blockIdx.y) * a.layout.plane_size +
                             static_cast<std::size_t>(row) * a.layout.stride;
  // The row above the image is 0, and columns that only round the stride up.
  for (int x = (row == 0 ? 0 : a.layout.cols + 1) + threadIdx.x; x < a.layout.stride; x += kThreads) out[x] = 0;
  if (row == 0) return;
  const std::int32_t rows = context_cells(a.layout.rows), cols = context_cells(a.layout.cols);
  const std::uint8_t* values = a.maps + static_cast<std::size_t>(blockIdx.y) * rows * cols;
  sum_context_row({values, rows, cols}, row - 1, a.layout.cols, out);
}

}  // namespace

void context_planes(const ContextPlanesArgs& args, const cuda::Stream& stream) {
  const dim3 grid(args.layout.rows + 1, args.num_classes);
  cuda::launch("context rows", context_rows_kernel, grid, kThreads, 0, stream, args);
  column_sums(args.layout, args.planes, args.num_classes, stream);
}

}  // namespace fernwood::image
