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

}  // namespace

void add_scores(const ScoresArgs& args, std::size_t num_cells, const cuda::Stream& stream) {
  cuda::launch("partial scores", partial_scores_kernel, cuda::blocks_for(num_cells * kWarp, kThreads), kThreads, 0,
               stream, args);
  const MapLevel& finest = args.maps.levels[args.finest];
  const auto of_finest =
      static_cast<std::size_t>(finest.rows) * static_cast<std::size_t>(finest.cols * args.num_scores);
  cuda::launch("adding scores", add_scores_kernel, cuda::blocks_for(of_finest, kThreads), kThreads, 0, stream, args);
}

}  // namespace fernwood::image
