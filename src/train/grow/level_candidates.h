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

/// The candidates of a tree's levels with their thresholds, as a backend wants them: in chunks that its memory has room
/// for, a share of them where ranks divide candidates, and those of several levels at once where the backend then
/// visits its frames once for all.
class LevelCandidates {
 public:
  /// @param channels  Features name those of the frames. @param backend  Was started with the tree and its samples.
  LevelCandidates(const TrainOptions& options, std::uint32_t tree, const TreeChannels& channels, LevelBackend& backend,
                  ThreadPool& pool)
      : options_(options), tree_(tree), channels_(channels), backend_(backend), pool_(pool) {}

  /// Draws what depends on the level alone. Levels come in ascending order. @param nodes  Outlive the level's chunks.
  void begin_level(const OpenNodes& nodes, std::uint32_t level);
  /// The next of the level's candidates, each once, ascending; nothing: there are no more.
  std::optional<CandidateChunk> next_chunk();

 private:
  /// Samples to draw thresholds from.
  struct ThresholdSamples {
    std::vector<std::uint32_t> places;  ///< [P] in node order, ascending
    std::vector<std::uint32_t> sets;    ///< [P] set of candidates: the node of each, or 0 if there is one set for all
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
  std::deque<CandidateChunk> ahead_;  // all candidates of levels that the backend has visited, the next one first

  // Of the level in hand.
  const OpenNodes* nodes_ = nullptr;
  std::uint32_t level_ = 0;
  Deal dealt_;
  ThresholdSamples threshold_samples_;
  CandidateChunk candidates_;  // all of them; thresholds may still be to draw
  std::size_t next_ = 0;       // that was not handed out
};

}  // namespace fernwood::train
