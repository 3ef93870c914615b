// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/forest/forest.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace fernwood::forest {

namespace {

using PairCounts = std::map<std::pair<int, int>, std::vector<std::uint64_t>>;

void grow_to(std::vector<std::uint64_t>& counts, int level) {
  if (counts.size() <= static_cast<std::size_t>(level)) counts.resize(static_cast<std::size_t>(level) + 1, 0);
}

void count_splits(const Tree& tree, PairCounts& pairs, std::vector<std::uint64_t>& by_level) {
  std::vector<int> level(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    if (node.is_leaf()) continue;
    const auto child = static_cast<std::size_t>(node.child);
    level[child] = level[child + 1] = level[i] + 1;
    std::vector<std::uint64_t>& counts = pairs[{node.feature.channel_a, node.feature.channel_b}];
    grow_to(counts, level[i]);
    grow_to(by_level, level[i]);
    ++counts[static_cast<std::size_t>(level[i])];
    ++by_level[static_cast<std::size_t>(level[i])];
  }
}

ForestSummary::TreeSummary summarize(const Tree& tree) {
  const std::uint64_t samples = std::accumulate(tree.leaf_counts.begin(), tree.leaf_counts.end(), std::uint64_t{0});
  return {tree.nodes.size(), tree.num_leaves(), tree.depth(), samples};
}

}  // namespace

ForestSummary summarize(const Forest& forest) {
  ForestSummary summary;
  PairCounts pairs;
  for (const std::vector<Tree>& stage : forest.stages) {
    std::vector<ForestSummary::TreeSummary>& trees = summary.stages.emplace_back();
    for (const Tree& tree : stage) trees.push_back(summarize(tree));
  }
  for (const Tree& tree : forest.labelling_trees()) count_splits(tree, pairs, summary.splits_by_level);
  const image::Preparation& preparation = forest.preparation;
  for (auto& [pair, counts] : pairs) {
    counts.resize(summary.splits_by_level.size(), 0);
    summary.channel_pairs.push_back({preparation.channel_name(pair.first),
                                     pair.second == kNoChannel ? "" : preparation.channel_name(pair.second),
                                     std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), counts});
  }
  std::stable_sort(summary.channel_pairs.begin(), summary.channel_pairs.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return summary;
}

}  // namespace fernwood::forest
