// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Scores of a linear head, from the maps of a frame, whose values lie side by side in each cell. First pass: the
// contribution of each cell of each level, one warp per cell, one lane per map. Second pass: their sum for each cell of
// the finest level.

#include "core/cuda/launch.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 128, kWarp = 32;

__global__ void partial_scores_kernel(ScoresArgs a) {
  const auto warp = static_cast<std::int32_t>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const auto lane = static_cast<std::int32_t>(threadIdx.x % kWarp);
  std::int32_t level = 0, cell = warp;
  while (level < a.maps.num_levels && cell >= a.maps.levels[level].rows * a.maps.levels[level].cols) {
    cell -= a.maps.levels[level].rows * a.maps.levels[level].cols;
    ++level;
  }
  if (level == a.maps.num_levels) return;
  const MapLevel& of = a.maps.levels[level];
  const std::int16_t* values = a.maps.values + of.offset + cell * of.next_cell;
  for (std::int32_t score = 0; score < a.num_scores; ++score) {
    const std::int32_t* weights = a.weights + score * a.num_maps + of.first_map;
    long long sum = 0;
    for (std::int32_t map = lane; map < of.next_cell; map += kWarp)
      sum += static_cast<long long>(weights[map]) * values[map];
    for (int apart = kWarp / 2; apart > 0; apart /= 2) sum += __shfl_down_sync(~0u, sum, apart);
    if (lane == 0) a.partial[static_cast<std::size_t>(warp) * a.num_scores + score] = partial_score(sum, a.shift);
  }
}

__global__ void add_scores_kernel(ScoresArgs a) {
  const auto i = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const MapLevel& finest = a.maps.levels[a.finest];
  if (i >= finest.rows * finest.cols * a.num_scores) return;
  const std::int32_t cell = i / a.num_scores, score = i % a.num_scores;
  const std::int32_t row = cell / finest.cols, col = cell % finest.cols;
  std::int64_t sum = std::int64_t{a.bias[score]} * kMapSteps * kMapSteps;
  const std::int32_t* partial = a.partial + score;
  for (std::int32_t l = 0; l < a.maps.num_levels; ++l) {
    const MapLevel& level = a.maps.levels[l];
    sum += level_score(partial, a.num_scores, level, finest, row, col);
    partial += level.rows * level.cols * a.num_scores;
  }
  a.scores[i] = score_value(sum);
}

constexpr int kTile = 32, kTileRows = 8;

__global__ void scale_maps_kernel(ScaleMapsArgs a) {
  __shared__ std::int16_t tile[kTile][kTile + 2];  // [map][cell] an odd number of words spreads columns over all banks
  const std::int32_t first_cell = static_cast<std::int32_t>(blockIdx.x) * kTile;
  const std::int32_t first_map = static_cast<std::int32_t>(blockIdx.y) * kTile;
  const auto lane = static_cast<std::int32_t>(threadIdx.x);
  for (auto i = static_cast<std::int32_t>(threadIdx.y); i < kTile; i += kTileRows) {
    const std::int32_t map = first_map + i, cell = first_cell + lane;
    if (map < a.num_maps && cell < a.num_cells)
      tile[i][lane] = cell_value(a.maps[static_cast<std::size_t>(map) * a.num_cells + cell], a.scales[map]);
  }
  __syncthreads();
  for (auto i = static_cast<std::int32_t>(threadIdx.y); i < kTile; i += kTileRows) {
    const std::int32_t map = first_map + lane, cell = first_cell + i;
    if (map < a.num_maps && cell < a.num_cells)
      a.values[static_cast<std::size_t>(cell) * a.num_maps + map] = tile[lane][i];
  }
}

}  // namespace

void add_scores(const ScoresArgs& args, std::size_t num_cells, const cuda::Stream& stream) {
  cuda::launch("partial scores", partial_scores_kernel, cuda::blocks_for(num_cells * kWarp, kThreads), kThreads, 0,
               stream, args);
  const MapLevel& finest = args.maps.levels[args.finest];
  const auto of_finest =
      static_cast<std::size_t>(finest.rows) * static_cast<std::size_t>(finest.cols * args.num_scores);
  cuda::launch("adding scores", add_scores_kernel, cuda::blocks_for(of_finest, kThreads), kThreads, 0, stream, args);
}

// Converts maps supplied with a frame to 16-bit numbers, with the values of a cell side by side. Each block transposes
// a tile of 32 maps and 32 cells in shared memory, so that threads read adjacent cells and write adjacent maps.

void scale_maps(const ScaleMapsArgs& args, const cuda::Stream& stream) {
  const auto tiles = [](std::int32_t count) { return static_cast<unsigned>((count + kTile - 1) / kTile); };
  cuda::launch("scaling maps", scale_maps_kernel, dim3(tiles(args.num_cells), tiles(args.num_maps)),
               dim3(kTile, kTileRows), 0, stream, args);
}

}  // namespace fernwood::image
