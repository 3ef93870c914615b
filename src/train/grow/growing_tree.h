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

/// The split of a node.
struct ChosenSplit {
  BestSplit best;  ///< best.candidate is negative if no candidate is useful.
  forest::RegionFeature feature{};
  float threshold = 0;
};

/// The best splits among some of the candidates of a level with N nodes.
struct LevelBest {
  std::vector<ChosenSplit> chosen;  ///< [N]
  std::optional<SharedSplit> shared =
      {};  ///< For ferns: the split of all nodes; other results are compared by its score.
};
/// Replaces each split for which the other result is better.
void take_better(const LevelBest& others, LevelBest& best);

/// Partition bits: the number of words for some samples, and the bit of one sample.
constexpr std::size_t num_side_words(std::size_t num_samples) { return (num_samples + 31) / 32; }
FW_HD constexpr std::uint32_t side_bit(const std::uint32_t* words, std::uint32_t sample) {
  return words[sample / 32] >> sample % 32 & 1;
}

/// Result of the stages of a level with N nodes.
struct LevelOutcome {
  std::vector<ChosenSplit> chosen;  ///< [N]
  Array2<std::uint32_t> counts;     ///< [N * 2][class] samples on the left and on the right side of each node's split.
};

/// A tree while it grows. It is valid at all times: open nodes are its last leaves.
struct GrowingTree {
  std::vector<forest::Node> nodes = {forest::Node{}};
  std::vector<std::uint32_t> leaf_counts;  ///< [leaf][class]
  std::vector<std::int32_t> open;          ///< Open nodes, ascending; all at depth `level`.
  int level = 0;
  std::size_t num_classes = 0;  ///< Rows of counts: in boosting two for each class, see for_each_row().
  bool pairs = false;           ///< Whether rows come in pairs, in boosting.

  std::size_t num_leaves() const { return leaf_counts.size() / num_classes; }
  std::size_t num_closed() const { return num_leaves() - open.size(); }
  forest::Tree tree() const;
};

inline constexpr std::uint16_t kNoClass = 0xffff;
inline constexpr std::uint32_t kNoNode = 0xffffffff;

/// The open nodes of a level, and the ranges of their samples in node order.
struct OpenNodes {
  std::vector<NodeSamples> nodes;           ///< [N]
  std::vector<std::uint32_t> class_counts;  ///< Number of samples of each class present in a node, node after node.
  Array2<std::uint16_t> class_in_node;      ///< [N][class] Number of a class within the node; kNoClass: not present.
  bool pairs = false;                       ///< See GrowingTree.

  explicit OpenNodes(const GrowingTree& growing);
  /// The same nodes with fewer samples. @param counts  [N][row] Their numbers, see for_each_row().
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

/// [row] Number of samples counted in each row, see for_each_row().
std::vector<std::uint32_t> count_rows(const SampleSet& samples, std::size_t num_classes, const TrainOptions& options);

/// [N][row] The same for each open node. @param node_of  [S] node of each sample, or kNoNode.
Array2<std::uint32_t> count_rows(const SampleSet& samples, const std::vector<std::uint32_t>& node_of,
                                 const OpenNodes& nodes);

/// A tree of one open node, or of one leaf if the samples cannot be split. @param counts  As returned by count_rows().
GrowingTree start_tree(const std::vector<std::uint32_t>& counts, const TrainOptions& options);

/// Splits every open node as chosen, and closes nodes without a useful split and children that cannot be split further
/// (thesis 3.1.1, stopping criteria). Afterwards the open nodes are those of the next level.
/// @return  [N * 2] Index of the left and right child among the new open nodes, or kNoNode.
std::vector<std::uint32_t> split_nodes(GrowingTree& growing, const LevelOutcome& outcome, const TrainOptions& options);

}  // namespace fernwood::train
