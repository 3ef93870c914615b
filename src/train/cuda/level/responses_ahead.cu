// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/level/responses_ahead.h"

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
  std::vector<View1<const forest::RegionFeature>> of_levels;
  for (const CandidateChunk& level : levels) of_levels.push_back({level.features.data(), level.features.size()});
  plan_.upload(plan_responses(of_levels, columns_), stream);
}

}  // namespace fernwood::train
