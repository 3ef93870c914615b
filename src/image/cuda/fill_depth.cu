// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 0 of preparing a frame: simple depth filling along the rows. One warp per row moves from its right end to its
// left; the known depth to the right of a gap, which fills it, is found by a ballot. A gap at the right end takes the
// last known depth of the row.

#include "core/cuda/launch.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kWarps = 4;
/// Tiles of 32 pixels that a warp processes at a time.
constexpr int kTiles = 4, kStep = 32 * kTiles;

/// Reads kTiles tiles that end before column `end`; tile 0 is the rightmost. Columns left of the image count as
/// unknown.
__device__ void load_tiles(const std::uint16_t* row, int end, std::uint16_t* depth) {
  const int lane = threadIdx.x;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const int x = end - 32 * (t + 1) + lane;
    const std::uint16_t value = x >= 0 ? row[x] : 0;
    depth[t] = is_known_depth(value) ? value : 0;
  }
}

/// The last known depth of a row, 0 if it has none.
__device__ std::uint16_t last_known(const std::uint16_t* row, int cols) {
  for (int end = cols; end > 0; end -= kStep) {
    std::uint16_t depth[kTiles];
    load_tiles(row, end, depth);
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const std::uint32_t known = __ballot_sync(~0u, depth[t] > 0);
      if (known) return static_cast<std::uint16_t>(__shfl_sync(~0u, static_cast<int>(depth[t]), 31 - __clz(known)));
    }
  }
  return 0;
}

__global__ void fill_depth_rows_kernel(FillDepthArgs a) {
  const int y = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
  if (y >= a.rows) return;
  const std::size_t begin = static_cast<std::size_t>(y) * a.cols;
  const std::uint16_t* row = a.depth_mm + begin;
  int right = last_known(row, a.cols);
  if (lane == 0) a.row_known[y] = right > 0;
  for (int end = a.cols; end > 0; end -= kStep) {
    std::uint16_t depth[kTiles];
    load_tiles(row, end, depth);
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const std::uint32_t known = __ballot_sync(~0u, depth[t] > 0), ahead = known >> lane;
      const int nearest = __shfl_sync(~0u, static_cast<int>(depth[t]), ahead ? lane + __ffs(ahead) - 1 : lane);
      const int x = end - 32 * (t + 1) + lane;
      if (x >= 0) a.filled_mm[begin + x] = static_cast<std::uint16_t>(ahead ? nearest : right);
      const int leftmost = __shfl_sync(~0u, static_cast<int>(depth[t]), known ? __ffs(known) - 1 : 0);
      if (known) right = leftmost;
    }
  }
}

constexpr int kThreads = 256;

__global__ void depth_from_metres_kernel(DepthInMetres a) {
  const std::size_t cols = a.cols, pixel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pixel >= a.rows * cols) return;
  const auto* const row = reinterpret_cast<const std::uint8_t*>(a.depth_m) + pixel / cols * a.pitch_bytes;
  a.depth_mm[pixel] = to_depth_mm(reinterpret_cast<const float*>(row)[pixel % cols]);
}

}  // namespace

void fill_depth_rows(const FillDepthArgs& args, const cuda::Stream& stream) {
  cuda::launch("depth filling", fill_depth_rows_kernel, cuda::blocks_for(static_cast<std::size_t>(args.rows), kWarps),
               dim3(32, kWarps), 0, stream, args);
}

// Converts depth in metres to whole millimetres, before a frame is prepared. One thread per pixel.

void depth_from_metres(const DepthInMetres& args, const cuda::Stream& stream) {
  const auto pixels = static_cast<std::size_t>(args.rows) * static_cast<std::size_t>(args.cols);
  cuda::launch("depth in metres", depth_from_metres_kernel, cuda::blocks_for(pixels, kThreads), kThreads, 0, stream,
               args);
}

}  // namespace fernwood::image
