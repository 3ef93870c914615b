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

/// A forest in numbers.
struct ForestSummary {
  struct TreeSummary {
    std::size_t nodes = 0, leaves = 0;
    int depth = 0;
    std::uint64_t samples = 0;
  };
  std::vector<std::vector<TreeSummary>> stages;  ///< [stage][tree]
  // Of the stage that labels alone.
  std::vector<std::uint64_t> splits_by_level;  ///< [level], over all trees
  std::vector<ChannelPairUse> channel_pairs;   ///< Most used first.
};

ForestSummary summarize(const Forest& forest);

}  // namespace fernwood::forest
