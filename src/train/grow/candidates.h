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

/// Where in a forest candidates are drawn for: part of what their random numbers are a function of.
struct LevelId {
  std::uint32_t tree, level;
};

/// The channels that a tree reads, and where frames that have more channels have them.
struct TreeChannels {
  image::ChannelLayout layout;
  std::vector<std::uint8_t> in_frame;  ///< [channel of the layout], ascending
  int num_backbone_maps = 0;           ///< Feature maps that a backbone finds,
  int num_supplied_maps = 0;           ///< those that come with the frames, behind them,
  int num_scores = 0;                  ///< and the scores of a linear head, last.
};

/// F candidate features for all nodes of a level (thesis 3.1.1, 3.2.1, 5.3), sorted so that neighbours read
/// neighbouring pixels of the same channels (thesis 4.2.4, "Sorting Features and Samples").
/// @param node  0, or the node's number within the level when each node has candidates of its own.
std::vector<forest::RegionFeature> draw_features(const TrainOptions& options, const TreeChannels& channels, LevelId id,
                                                 std::uint32_t node);

/// T ascending thresholds of one candidate.
/// @param feature    Index of the candidate, part of what the draws are a function of.
/// @param responses  Responses of random samples to the candidate, to choose among; NaN are passed over. Unused by a
/// grid.
void draw_thresholds(const TrainOptions& options, LevelId id, std::uint32_t node, std::uint32_t feature,
                     View1<const float> responses, View1<float> thresholds);

/// @param names  [channel] What each is called from now on.
void rename_channels(forest::RegionFeature& feature, const std::vector<std::uint8_t>& names);

}  // namespace fernwood::train
