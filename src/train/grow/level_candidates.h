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
  /// Samples to draw thresholds from.
  struct ThresholdSamples {
    std::vector<std::uint32_t> places;  ///< [P] in node order, ascending
    std::vector<std::uint32_t> sets;    ///< [P] candidate set of each: its node, or 0 if one set serves all nodes
  };

  LevelId id() const { return {tree_, level_}; }
  void draw_places(std::uint32_t set, std::uint32_t begin, std::uint32_t end, std::uint32_t count);
  void draw_threshold_samples();
  Array2<forest::RegionFeature> set_features(LevelId id, const Deal& dealt, std::uint32_t set) const;
  Array2<forest::RegionFeature> level_features() const;
  void start_levels();
  void fill_thresholds(CandidateChunk& chunk) const;

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
  ThresholdSamples threshold_samples_;
  CandidateChunk candidates_;  // all of the level's; thresholds may be missing
  std::size_t next_ = 0;       // first candidate not yet returned
};

}  // namespace fernwood::train
