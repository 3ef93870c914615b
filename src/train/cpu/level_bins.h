// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/core/parallel.h"

namespace fernwood::train {

/// Bins of some of a level's candidates, as stage 1 finds and stage 2 reads them: a row for each candidate, its samples
/// in frame order. A level whose turn has not come loses samples on the way, those that end in leaves above it.
class LevelBins {
 public:
  /// Room for other candidates and samples. @param first  Number of the first candidate.
  void reset(std::size_t first, std::size_t num_candidates, std::size_t num_samples) {
    first_ = first;
    stride_ = num_samples;
    bins_.resize(num_candidates * num_samples);
  }

  std::uint8_t* row(std::size_t candidate) { return bins_.data() + (candidate - first_) * stride_; }
  const std::uint8_t* row(std::size_t candidate) const { return bins_.data() + (candidate - first_) * stride_; }

  /// Keeps the samples at `positions` of those so far, ascending.
  void keep(const std::vector<std::uint32_t>& positions, ThreadPool& pool) {
    pool.for_each(stride_ > 0 ? bins_.size() / stride_ : 0, [&](std::size_t i, int) {
      std::uint8_t* const row = bins_.data() + i * stride_;
      for (std::size_t s = 0; s < positions.size(); ++s) row[s] = row[positions[s]];
    });
  }

 private:
  std::size_t first_ = 0, stride_ = 0;
  std::vector<std::uint8_t> bins_;
};

}  // namespace fernwood::train
