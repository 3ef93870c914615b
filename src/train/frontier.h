// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/parallel.h"
#include "train/frame_store.h"
#include "train/growing_tree.h"

namespace fernwood::train {

/// Sends samples down a tree on the processor's cores. @return  [S] leaf that each ends in.
std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                       FrameStore& store, ThreadPool& pool);

/// Samples of the open nodes in the processor's memory, in two orders: by frame for stage 1, by node for stages 2
/// and 3.
class Frontier {
 public:
  /// Sends the samples of a tree down to its open nodes; those that end in closed leaves are dropped.
  Frontier(const SampleSet& all, const GrowingTree& growing, FrameStore& store, ThreadPool& pool);

  std::size_t num_samples() const { return samples_.size(); }
  const SampleSet& samples() const { return samples_; }
  const std::vector<std::uint32_t>& node_of() const { return node_of_; }            ///< [S] frame order
  const std::vector<std::uint32_t>& frame_order() const { return frame_order_; }    ///< [S] node order
  const std::vector<std::uint16_t>& node_classes() const { return node_classes_; }  ///< [S] node order

  /// Class counts on either side of each of `num_nodes` nodes.
  /// @param sides  [S] frame order: side of every sample under its node's split.
  /// @return       [N * 2][class]
  Array2<std::uint32_t> count_sides(const std::vector<std::uint8_t>& sides, std::size_t num_nodes,
                                    std::size_t num_classes) const;

  /// Sends every sample to the child on its side; those of closed children are dropped.
  /// @param children  [N * 2] as split_nodes() returned them.
  /// @param nodes     The open nodes from now on.
  void descend(const std::vector<std::uint32_t>& children, const std::vector<std::uint8_t>& sides,
               const OpenNodes& nodes);

 private:
  void order_by_node(const OpenNodes& nodes);

  SampleSet samples_;
  std::vector<std::uint32_t> node_of_, frame_order_;
  std::vector<std::uint16_t> node_classes_;
};

}  // namespace fernwood::train
