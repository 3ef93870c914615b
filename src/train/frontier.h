// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/forest/tree.h"
#include "fernwood/train/options.h"
#include "train/frame_store.h"
#include "train/level_kernels.h"
#include "train/sample_set.h"

namespace fernwood {

/// A split that a node was given.
struct ChosenSplit {
  BestSplit best;  ///< best.candidate is negative when no candidate was useful.
  RegionFeature feature{};
  float threshold = 0;
};

/// A tree while it grows. It is complete at any time: nodes still open are its last leaves.
struct GrowingTree {
  std::vector<Node> nodes = {Node{}};
  std::vector<std::uint32_t> leaf_counts;  ///< [leaf][class]
  std::vector<std::int32_t> open;          ///< Open nodes, ascending; all at depth `level`.
  int level = 0;
  std::size_t num_classes = 0;

  std::size_t num_leaves() const { return leaf_counts.size() / num_classes; }
  std::size_t num_closed() const { return num_leaves() - open.size(); }
  Tree tree() const;
};

/// Samples of the open nodes, in two orders: by frame for stage 1, by node for stages 2 and 3.
class Frontier {
 public:
  /// Sends the samples of a tree down to its open nodes; those that end in closed leaves are dropped.
  Frontier(const SampleSet& all, const GrowingTree& growing, FrameStore& store, ThreadPool& pool);

  std::size_t num_nodes() const { return nodes_.size(); }
  std::size_t num_samples() const { return samples_.size(); }
  bool empty() const { return nodes_.empty(); }
  const SampleSet& samples() const { return samples_; }
  const std::vector<std::uint32_t>& node_of() const { return node_of_; }            ///< [S] frame order
  const std::vector<std::uint32_t>& frame_order() const { return frame_order_; }    ///< [S] node order
  const std::vector<std::uint16_t>& node_classes() const { return node_classes_; }  ///< [S] node order
  const std::vector<NodeSamples>& nodes() const { return nodes_; }
  const std::vector<std::uint32_t>& class_counts() const { return class_counts_; }

  /// Splits every open node as chosen and closes those without a useful split; children that cannot be split further
  /// are closed too. Afterwards the frontier holds the open nodes of the next level.
  /// @param sides  [S] frame order: side of every sample under its node's split.
  void split(GrowingTree& growing, const std::vector<ChosenSplit>& chosen, const std::vector<std::uint8_t>& sides,
             const TrainOptions& options);

 private:
  void order_by_node(std::size_t num_nodes, std::size_t num_classes);

  SampleSet samples_;
  std::vector<std::uint32_t> node_of_, frame_order_, class_counts_;
  std::vector<std::uint16_t> node_classes_;
  std::vector<NodeSamples> nodes_;
};

/// A tree that is one open node, or one leaf if the samples cannot be split.
GrowingTree start_tree(const SampleSet& samples, std::size_t num_classes, const TrainOptions& options);

}  // namespace fernwood
