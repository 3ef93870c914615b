// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"
#include "train/cpu/level_kernels.h"
#include "train/data/sampler.h"

namespace fernwood::train {

/// A split that a node was given.
struct ChosenSplit {
  BestSplit best;  ///< best.candidate is negative when no candidate was useful.
  forest::RegionFeature feature{};
  float threshold = 0;
};

/// The best splits of a level among some of its candidates: N nodes.
struct LevelBest {
  std::vector<ChosenSplit> chosen;  ///< [N]
  std::optional<SharedSplit> shared =
      {};  ///< Of ferns: the one that all nodes are given; its score tells which is best.
};
/// Takes over what others found that is better.
void take_better(const LevelBest& others, LevelBest& best);

/// Sides of samples as bits: how many numbers they take, and the bit of one.
constexpr std::size_t num_side_words(std::size_t num_samples) { return (num_samples + 31) / 32; }
FW_HD constexpr std::uint32_t side_bit(const std::uint32_t* words, std::uint32_t sample) {
  return words[sample / 32] >> sample % 32 & 1;
}

/// What the stages of a level found out: N nodes.
struct LevelOutcome {
  std::vector<ChosenSplit> chosen;  ///< [N]
  Array2<std::uint32_t> counts;     ///< [N * 2][class] samples on the left and on the right side of each node's split.
};

/// A tree while it grows. It is complete at any time: nodes still open are its last leaves.
struct GrowingTree {
  std::vector<forest::Node> nodes = {forest::Node{}};
  std::vector<std::uint32_t> leaf_counts;  ///< [leaf][class]
  std::vector<std::int32_t> open;          ///< Open nodes, ascending; all at depth `level`.
  int level = 0;
  std::size_t num_classes = 0;  ///< Rows of counts: twice as many in boosting, see for_each_row().
  bool pairs = false;           ///< In boosting.

  std::size_t num_leaves() const { return leaf_counts.size() / num_classes; }
  std::size_t num_closed() const { return num_leaves() - open.size(); }
  forest::Tree tree() const;
};

inline constexpr std::uint16_t kNoClass = 0xffff;
inline constexpr std::uint32_t kNoNode = 0xffffffff;

/// The open nodes of a level, and where their samples lie in node order.
struct OpenNodes {
  std::vector<NodeSamples> nodes;           ///< [N]
  std::vector<std::uint32_t> class_counts;  ///< Samples of each class that a node has, node after node.
  Array2<std::uint16_t> class_in_node;      ///< [N][class] number of a class within the node; kNoClass: has none.
  bool pairs = false;                       ///< See GrowingTree.

  explicit OpenNodes(const GrowingTree& growing);
  /// The same nodes with fewer samples. @param counts  [N][row] Those, see for_each_row().
  OpenNodes with_samples(const Array2<std::uint32_t>& counts) const;
  std::size_t size() const { return nodes.size(); }
  bool has_class(std::size_t node, std::size_t c) const { return class_in_node(node, c) != kNoClass; }
  std::size_t num_samples() const { return nodes.empty() ? 0 : nodes.back().end; }
  std::uint32_t most_classes() const {
    std::uint32_t most = 1;
    for (const NodeSamples& node : nodes) most = std::max(most, node.num_classes);
    return most;
  }
};

/// [row] Samples by what they count for, see for_each_row().
std::vector<std::uint32_t> count_rows(const SampleSet& samples, std::size_t num_classes, const TrainOptions& options);

/// [N][row] The same of each open node. @param node_of  [S] node of each sample, or kNoNode.
Array2<std::uint32_t> count_rows(const SampleSet& samples, const std::vector<std::uint32_t>& node_of,
                                 const OpenNodes& nodes);

/// A tree that is one open node, or one leaf if the samples cannot be split. @param counts  As of count_rows().
GrowingTree start_tree(const std::vector<std::uint32_t>& counts, const TrainOptions& options);

/// Splits every open node as chosen and closes those without a useful split; children that cannot be split further are
/// closed too (thesis 3.1.1, stopping criteria). Then the open nodes are those of the next level.
/// @return  [N * 2] number of the child on the left and on the right among the new open nodes, or kNoNode.
std::vector<std::uint32_t> split_nodes(GrowingTree& growing, const LevelOutcome& outcome, const TrainOptions& options);

}  // namespace fernwood::train
