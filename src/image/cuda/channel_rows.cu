// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 1 of preparing a frame: channels, and prefix sums along the rows. One block per (row of the planes, channel
// set); its threads process adjacent pixels, tile by tile, and hold the values of all planes of the set: three shuffle
// scans cost little more than one.

#include <type_traits>

#include "core/cuda/launch.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

/// Counts the pixels of known depth; has the interface of a row in the channel table.
struct KnownRow {
  static constexpr char kPlanes[1] = {};
  const std::uint16_t* depth_mm;

  __device__ KnownRow(const ChannelSource& s, std::int32_t y) : depth_mm(s.depth_row(y)) {}
  __device__ void operator()(std::int32_t x, std::int16_t* out) const { out[0] = is_known_depth(depth_mm[x]); }
};

__device__ std::uint32_t warp_prefix_sum(std::uint32_t value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t below = __shfl_up_sync(~0u, value, step);
    value += lane >= step ? below : 0;
  }
  return value;
}

/// Writes the prefix sums of a row. @param out  [plane] Start of the row in each plane.
template <typename Row>
__device__ void sum_row(const Row& row, int cols, std::uint32_t* const* out) {
  constexpr int kPlanes = std::extent_v<decltype(Row::kPlanes)>;
  // Double-buffered, so that a warp that is ahead never overwrites values that another still reads.
  __shared__ std::uint32_t warp_totals[2][kPlanes][kWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::uint32_t carry[kPlanes] = {};
  if (threadIdx.x < kPlanes) out[threadIdx.x][0] = 0;
  for (int first = 0, turn = 0; first < cols; first += kThreads, turn ^= 1) {
    const int x = first + static_cast<int>(threadIdx.x);
    std::uint32_t sums[kPlanes] = {};
    if (x < cols) {
      std::int16_t values[kPlanes];
      row(x, values);
#pragma unroll
      for (int p = 0; p < kPlanes; ++p) sums[p] = known_value(values[p]);
    }
#pragma unroll
    for (int p = 0; p < kPlanes; ++p) {
      sums[p] = warp_prefix_sum(sums[p]);
      if (lane == 31) warp_totals[turn][p][warp] = sums[p];
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kPlanes; ++p) {
      sums[p] += carry[p];
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        const std::uint32_t total = warp_totals[turn][p][w];
        carry[p] += total;
        if (w < warp) sums[p] += total;
      }
      if (x < cols) out[p][x + 1] = sums[p];
    }
  }
}

/// Sums the channels of set number `set` for row y.
template <typename... Rows>
__device__ void sum_set(ChannelRows<Rows...>, std::int32_t set, const ChannelSource& source, std::int32_t y,
                        std::uint32_t* const* out) {
  std::int32_t index = 0;
  ((set == index++ && (sum_row(Rows(source, y), source.cols, out), true)) || ...);
}

template <typename... Rows>
ChannelRows<Rows..., KnownRow> with_known(ChannelRows<Rows...>);
using Table = decltype(with_known(ChannelTable()));  // the last is kCountKnown

__global__ void __launch_bounds__(kThreads) channel_rows_kernel(ChannelRowsArgs a) {
  constexpr int kMaxPlanes = static_cast<int>(ChannelTable::kMaxPlanes);
  __shared__ std::uint32_t* out[kMaxPlanes];
  const ChannelTask task = a.tasks[blockIdx.y];
  const int row = blockIdx.x;  // of the planes, which have one row above the image's first
  if (threadIdx.x < kMaxPlanes) {
    out[threadIdx.x] = a.planes + static_cast<std::size_t>(task.first_plane + threadIdx.x) * a.layout.plane_size +
                       static_cast<std::size_t>(row) * a.layout.stride;
  }
  __syncthreads();
  // Columns that only pad the stride are 0 too.
  for (int p = 0; p < task.num_planes; ++p)
    for (int x = a.layout.cols + 1 + threadIdx.x; x < a.layout.stride; x += kThreads) out[p][x] = 0;
  if (row > 0) return sum_set(Table(), task.set, a.source, row - 1, out);
  for (int p = 0; p < task.num_planes; ++p)
    for (int x = threadIdx.x; x < a.layout.stride; x += kThreads) out[p][x] = 0;
}

}  // namespace

void channel_rows(const ChannelRowsArgs& args, const cuda::Stream& stream) {
  const dim3 grid(args.layout.rows + 1, args.num_tasks);
  cuda::launch("channels", channel_rows_kernel, grid, kThreads, 0, stream, args);
}

}  // namespace fernwood::image
