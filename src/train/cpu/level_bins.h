// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/core/parallel.h"

namespace fernwood::train {

/// Bins of some candidates of a level, written by stage 1 and read by stage 2: one row per candidate, with its samples
/// in frame order. If the level is evaluated ahead, samples that end in leaves above it are removed.
class LevelBins {
 public:
  /// Resizes for other candidates and samples. @param first  Index of the first candidate.
  void reset(std::size_t first, std::size_t num_candidates, std::size_t num_samples) {
    first_ = first;
    stride_ = num_samples;
    bins_.resize(num_candidates * num_samples);
  }

  std::uint8_t* row(std::size_t candidate) { return bins_.data() + (candidate - first_) * stride_; }
  const std::uint8_t* row(std::size_t candidate) const { return bins_.data() + (candidate - first_) * stride_; }

  /// Keeps only the samples at `positions`, ascending.
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
