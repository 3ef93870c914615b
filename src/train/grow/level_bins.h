// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
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

/// What growing a tree takes of memory when its frames do not fit.
struct LevelMemory {
  std::size_t frame_bytes = 0;  ///< Of all frames, prepared.
  std::size_t level_bytes = 0;  ///< Of a level's bins.
  std::size_t num_levels = 0;   ///< That are still to grow.
  bool ahead = false;           ///< Whether bins of several levels can be found in one visit.
};

/// Levels whose bins fit, of those that are still to grow; 0: a level takes several chunks.
inline std::size_t levels_that_fit(const LevelMemory& needs, std::size_t bins_bytes) {
  return std::min(needs.num_levels, bins_bytes / std::max<std::size_t>(1, needs.level_bytes));
}

/// How much of `bytes` bins are to have, so that growing a tree decodes the fewest frames; frames have the rest.
inline std::size_t share_for_bins(const LevelMemory& needs, std::size_t bytes) {
  constexpr std::size_t kParts = 12;
  std::size_t best = bytes / kParts;
  double fewest = 0;
  for (std::size_t part = 1; part < kParts; ++part) {
    const std::size_t bins_bytes = bytes / kParts * part;
    const std::size_t fitting = levels_that_fit(needs, bins_bytes);
    // Visits of the frames: by groups of levels; or by chunks, and one more to part a level's samples.
    const std::size_t visits = needs.ahead && fitting > 0
                                   ? (needs.num_levels + fitting - 1) / fitting
                                   : needs.num_levels * (needs.level_bytes / std::max<std::size_t>(1, bins_bytes) + 2);
    const double left = static_cast<double>(needs.frame_bytes) - static_cast<double>(bytes - bins_bytes);
    const double decoded = static_cast<double>(visits + 1) * std::max(0.0, left);  // drawing samples visits them, too
    if (part == 1 || decoded < fewest) best = bins_bytes, fewest = decoded;
  }
  return best;
}

}  // namespace fernwood::train
