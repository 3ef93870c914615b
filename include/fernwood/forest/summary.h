// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// Number of splits that compare a pair of channels (thesis figure A.1), in total and by level (figure 5.9).
struct ChannelPairUse {
  std::string channel_a, channel_b;  ///< channel_b is empty for unary features.
  std::uint64_t count = 0;
  std::vector<std::uint64_t> by_level;  ///< [level]
};

/// Statistics of a forest.
struct ForestSummary {
  struct TreeSummary {
    std::size_t nodes = 0, leaves = 0;
    int depth = 0;
    std::uint64_t samples = 0;
  };
  std::vector<std::vector<TreeSummary>> stages;  ///< [stage][tree]
  // For the last stage only:
  std::vector<std::uint64_t> splits_by_level;  ///< [level] Number of splits, over all trees.
  std::vector<ChannelPairUse> channel_pairs;   ///< Most used first.
};

ForestSummary summarize(const Forest& forest);

}  // namespace fernwood::forest
