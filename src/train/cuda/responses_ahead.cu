// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/responses_ahead.h"

#include <algorithm>

namespace fernwood::train {

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

}  // namespace fernwood::train
