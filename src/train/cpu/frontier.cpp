// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cpu/cpu_backend.h"

namespace fernwood::train {

std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                       FrameStore& store, ThreadPool& pool) {
  std::vector<std::uint32_t> leaves(samples.size(), 0);
  if (nodes.size() == 1) return leaves;  // avoids visiting the frames
  store.visit(samples.frames, pool, [&](std::size_t i, const LoadedFrame& frame, int) {
    const image::FrameView view = frame.view();
    for (std::size_t s = samples.frame_starts[i]; s < samples.frame_starts[i + 1]; ++s)
      leaves[s] = static_cast<std::uint32_t>(forest::find_leaf(nodes.data(), view, samples.sites[s]));
  });
  return leaves;
}

Frontier::Frontier(const SampleSet& all, const GrowingTree& growing, FrameStore& store, ThreadPool& pool) {
  const std::vector<std::uint32_t> leaf_of = find_leaves(all, growing.nodes, store, pool);
  const auto first_open = static_cast<std::uint32_t>(growing.num_closed());
  std::vector<std::uint32_t> positions;
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (leaf_of[s] < first_open) continue;
    positions.push_back(static_cast<std::uint32_t>(s));
    node_of_.push_back(leaf_of[s] - first_open);
  }
  samples_ = all.picked(positions);
  order_by_node(OpenNodes(growing));
}

void Frontier::order_by_node(const OpenNodes& nodes) {
  pairs_ = nodes.pairs;
  frame_order_.resize(samples_.size());
  node_classes_.resize(samples_.size());
  std::vector<std::uint32_t> next(nodes.size() + 1, 0);
  for (const std::uint32_t node : node_of_) ++next[node + 1];
  nodes_ = nodes.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    next[n + 1] += next[n];
    nodes_[n].begin = next[n];
    nodes_[n].end = next[n + 1];
  }
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    const std::uint32_t at = next[node_of_[s]]++;
    frame_order_[at] = static_cast<std::uint32_t>(s);
    node_classes_[at] = label_in_node(samples_.labels[s], nodes.pairs,
                                      [&](std::uint32_t row) { return nodes.class_in_node(node_of_[s], row); });
  }
}

Array2<std::uint32_t> Frontier::count_sides(const std::vector<std::uint8_t>& sides, std::size_t num_nodes,
                                            std::size_t num_classes) const {
  Array2<std::uint32_t> counts(2 * num_nodes, num_classes);
  for (std::size_t s = 0; s < samples_.size(); ++s)
    for_each_row(samples_.labels[s], pairs_, [&](std::uint32_t row) { ++counts(2 * node_of_[s] + sides[s], row); });
  return counts;
}

std::vector<std::uint32_t> Frontier::descend(const std::vector<std::uint32_t>& children,
                                             const std::vector<std::uint8_t>& sides, const OpenNodes& nodes) {
  std::vector<std::uint32_t> positions, node_of;
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    const std::uint32_t node = children[2 * node_of_[s] + sides[s]];
    if (node == kNoNode) continue;
    positions.push_back(static_cast<std::uint32_t>(s));
    node_of.push_back(node);
  }
  samples_ = samples_.picked(positions);
  node_of_ = std::move(node_of);
  order_by_node(nodes);
  return positions;
}

}  // namespace fernwood::train
