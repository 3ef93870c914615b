// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/forest/region_feature.h"
#include "fernwood/image/channels.h"
#include "fernwood/train/options.h"

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

}  // namespace fernwood::train
