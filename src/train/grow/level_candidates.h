// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/train/options.h"
#include "train/grow/candidates.h"
#include "train/train_device.h"

namespace fernwood::train {

/// The candidates of a tree's levels with their thresholds, in the form that a backend requires: in chunks that fit its
/// memory, only this rank's share where ranks divide candidates, and for several levels at once where the backend
/// evaluates them in one pass over its frames.
class LevelCandidates {
 public:
  /// @param channels  Features refer to those of the frames. @param backend  Must be started with the tree and its
  /// samples.
  LevelCandidates(const TrainOptions& options, std::uint32_t tree, const TreeChannels& channels, LevelBackend& backend,
                  ThreadPool& pool)
      : options_(options), tree_(tree), channels_(channels), backend_(backend), pool_(pool) {}

  /// Draws what is common to the level. Levels come in ascending order. @param nodes  Must outlive the level's chunks.
  void begin_level(const OpenNodes& nodes, std::uint32_t level);
  /// The next candidates of the level, each once, ascending; nullopt after the last.
  std::optional<CandidateChunk> next_chunk();

 private:
  std::vector<forest::RegionFeature> dealt_features(LevelId id) const;
  void start_levels();
  void fill_thresholds(LevelId id, std::size_t first, Array2<float>& thresholds) const;

  const TrainOptions& options_;
  const std::uint32_t tree_;
  const TreeChannels& channels_;
  LevelBackend& backend_;
  ThreadPool& pool_;
  std::deque<CandidateChunk> ahead_;  // all candidates of levels that the backend has evaluated, next level first

  // State of the current level.
  const OpenNodes* nodes_ = nullptr;
  std::uint32_t level_ = 0;
  Deal dealt_;
  CandidateChunk candidates_;  // all of the level's; thresholds may be missing
  std::size_t next_ = 0;       // first candidate not yet returned
};

}  // namespace fernwood::train
