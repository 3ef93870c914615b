// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/responses_ahead.h"

#include <algorithm>

#include "core/cuda/launch.cuh"

namespace fernwood::train {

namespace {

__global__ void pick_ahead_kernel(View2<const float> ahead, View1<const std::uint32_t> numbers,
                                  const std::uint32_t* rows, const std::uint32_t* row_nodes,
                                  const std::uint32_t* columns, View2<float> responses) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < numbers.size) responses(rows[at], 0) = ahead(numbers[at], columns[row_nodes[at]]);
}

}  // namespace

void ResponsesAhead::reserve(std::size_t num_levels, std::size_t num_samples, std::size_t num_features) {
  const std::size_t size = num_levels * num_samples * row_length(num_features);
  if (responses_.size() < size) responses_.resize(size + size / 64);
}

void ResponsesAhead::begin(const std::vector<CandidateChunk>& levels, std::size_t num_samples,
                           const cuda::Stream& stream) {
  num_samples_ = num_samples;
  columns_ = row_length(levels.front().size());
  num_levels_ = levels.size();
  level_ = 0;
  std::vector<forest::RegionFeature> features(levels.size() * columns_, forest::RegionFeature{});
  std::vector<View1<const forest::RegionFeature>> of_levels;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const Array2<forest::RegionFeature>& own = levels[level].features;
    of_levels.push_back({own.data(), own.size()});
    std::copy_n(own.data(), own.size(), features.begin() + static_cast<std::ptrdiff_t>(level * columns_));
  }
  features_.upload(features, stream);
  runs_.upload(plan_runs(of_levels, columns_), stream);
}

void pick_ahead_cuda(View2<const float> ahead, View1<const std::uint32_t> numbers, const std::uint32_t* rows,
                     const std::uint32_t* row_nodes, const std::uint32_t* columns, View2<float> responses,
                     const cuda::Stream& stream) {
  cuda::launch("picking responses", pick_ahead_kernel, cuda::blocks_for(numbers.size, 256), 256, 0, stream, ahead,
               numbers, rows, row_nodes, columns, responses);
}

}  // namespace fernwood::train
