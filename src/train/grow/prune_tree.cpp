// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/grow_tree.h"

#include <algorithm>

#include "train/grow/growing_tree.h"

namespace fernwood::train {

namespace {

/// Result of a level, reconstructed from the whole tree. @param whole  [open node] The node in the whole tree.
LevelOutcome remembered_outcome(const forest::Tree& tree, const Array2<std::uint64_t>& counts,
                                const std::vector<std::size_t>& whole) {
  LevelOutcome outcome{std::vector<ChosenSplit>(whole.size()), Array2<std::uint32_t>(2 * whole.size(), counts.cols())};
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const forest::Node& node = tree.nodes[whole[n]];
    ChosenSplit& chosen = outcome.chosen[n];
    chosen.best.candidate = node.is_leaf() ? -1 : 0;
    chosen.feature = node.feature;
    chosen.threshold = node.threshold;
    for (const std::size_t side : {0, 1}) {
      const std::size_t from = node.is_leaf() ? whole[n] : static_cast<std::size_t>(node.child) + side;
      if (node.is_leaf() && side == 1) continue;  // all samples on one side
      for (std::size_t c = 0; c < counts.cols(); ++c)
        outcome.counts(2 * n + side, c) = static_cast<std::uint32_t>(counts(from, c));
    }
  }
  return outcome;
}

/// [leaf of the whole tree] Leaf of the pruned tree, which is the upper part of the whole one.
std::vector<std::uint32_t> map_leaves(const forest::Tree& whole, const forest::Tree& cut) {
  std::vector<std::uint32_t> leaf_of(whole.num_leaves());
  struct Pair {
    std::int32_t whole, cut;
  };
  for (std::vector<Pair> open = {{0, 0}}; !open.empty();) {
    const Pair at = open.back();
    open.pop_back();
    const forest::Node& node = whole.nodes[static_cast<std::size_t>(at.whole)];
    const forest::Node& kept = cut.nodes[static_cast<std::size_t>(at.cut)];
    if (node.is_leaf()) {
      leaf_of[static_cast<std::size_t>(node.leaf_index())] = static_cast<std::uint32_t>(kept.leaf_index());
      continue;
    }
    for (const std::int32_t side : {0, 1})
      open.push_back({node.child + side, kept.is_leaf() ? at.cut : kept.child + side});
  }
  return leaf_of;
}

}  // namespace

bool is_prunable(const TrainOptions& options) {
  return options.algorithm == forest::ForestKind::kForest && options.cascade == 1;
}

PrunedTree prune_tree(const forest::Tree& tree, const TrainOptions& options) {
  const Array2<std::uint64_t> counts = forest::node_counts(tree);
  GrowingTree growing = start_tree({counts.row(0), counts.row(0) + counts.cols()}, options);
  std::vector<std::size_t> whole(growing.open.size(), 0);  // [open node] node in the whole tree
  while (!growing.open.empty()) {
    const std::vector<std::uint32_t> children = split_nodes(growing, remembered_outcome(tree, counts, whole), options);
    std::vector<std::size_t> next(growing.open.size());
    for (std::size_t row = 0; row < children.size(); ++row)
      if (children[row] != kNoNode)
        next[children[row]] = static_cast<std::size_t>(tree.nodes[whole[row / 2]].child) + row % 2;
    whole = std::move(next);
  }
  PrunedTree pruned{growing.tree(), {}};
  pruned.leaf_of = map_leaves(tree, pruned.tree);
  return pruned;
}

}  // namespace fernwood::train
