// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// How often a pair of channels was chosen for a split (thesis figure A.1), in all and by level (figure 5.9).
struct ChannelPairUse {
  std::string channel_a, channel_b;  ///< channel_b is empty for absolute features.
  std::uint64_t count = 0;
  std::vector<std::uint64_t> by_level;  ///< [level]
};

/// "L - depth"; of an absolute feature, whose `channel_b` is empty, "L".
std::string pair_name(const std::string& channel_a, const std::string& channel_b);

/// A forest in numbers.
struct ForestSummary {
  struct TreeSummary {
    std::size_t nodes = 0, leaves = 0;
    int depth = 0;
    std::uint64_t samples = 0;
  };
  std::vector<std::vector<TreeSummary>> context_stages;  ///< [stage][tree]
  std::vector<TreeSummary> trees;
  // Of `trees` alone: the splits of the stage that labels.
  std::vector<std::uint64_t> splits_by_level;  ///< [level], over all trees
  std::vector<ChannelPairUse> channel_pairs;   ///< Most used first.
};

ForestSummary summarize(const Forest& forest);

/// For people, at most 100 columns. @param checksum  Of the model file.
std::string summary_table(const Forest& forest, const ForestSummary& summary, const std::string& checksum);
/// One JSON object, indented by two spaces, with a final newline. Keys: docs/model_file.md.
std::string summary_json(const Forest& forest, const ForestSummary& summary, const std::string& checksum);

/// "floor 0.5, wall 1.5": of a forest that has class weights.
std::string class_weights_text(const Forest& forest);

}  // namespace fernwood::forest
