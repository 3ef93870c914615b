// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/forest/region_feature.h"
#include "fernwood/image/channels.h"
#include "fernwood/train/options.h"
#include "train/train_device.h"

namespace fernwood::train {

/// The tree and level for which candidates are drawn; their random numbers depend on it.
struct LevelId {
  std::uint32_t tree, level;
};

/// The channels that a tree reads, and their indices in frames that have more channels.
struct TreeChannels {
  image::ChannelLayout layout;
  std::vector<std::uint8_t> in_frame;  ///< [channel of the layout], ascending
  int num_backbone_maps = 0;           ///< Feature maps of a backbone; they come first.
  int num_supplied_maps = 0;           ///< Feature maps supplied with the frames; second.
  int num_scores = 0;                  ///< Scores of a linear head; last.
};

/// Draws F candidate features for all nodes of a level (thesis 3.1.1, 3.2.1, 5.3), sorted so that successive features
/// read nearby pixels of the same channels (thesis 4.2.4, "Sorting Features and Samples").
std::vector<forest::RegionFeature> draw_features(const TrainOptions& options, const TreeChannels& channels, LevelId id);

/// Draws T ascending thresholds of one candidate: a geometric series with both signs, whose steps are jittered.
/// @param feature  Index of the candidate; seeds the draws.
void draw_thresholds(const TrainOptions& options, LevelId id, std::uint32_t feature, View1<float> thresholds);

/// Replaces the channel numbers of a feature. @param names  [channel] New number.
void rename_channels(forest::RegionFeature& feature, const std::vector<std::uint8_t>& names);

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
