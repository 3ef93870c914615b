// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <vector>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// Arranges nodes as in models: breadth first, leaves in the same order; values of leaves are not set.
/// @param nodes   The root first, siblings adjacent; unreachable nodes are dropped.
/// @param covers  [node] Weights of the samples that reach the nodes; empty: unknown.
/// @param leaves  Written: [leaf] its index in `nodes`.
inline RecordTree arrange_nodes(const std::vector<RecordNode>& nodes, const std::vector<double>& covers,
                                std::vector<std::size_t>& leaves) {
  RecordTree tree;
  std::vector<std::size_t> order = {0};
  leaves.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    RecordNode node = nodes[order[i]];
    if (node.is_leaf()) {
      node.child = ~static_cast<std::int32_t>(leaves.size());
      leaves.push_back(order[i]);
    } else {
      const auto child = static_cast<std::size_t>(node.child);
      node.child = static_cast<std::int32_t>(order.size());
      order.insert(order.end(), {child, child + 1});
    }
    tree.nodes.push_back(node);
    if (!covers.empty()) tree.covers.push_back(covers[order[i]]);
  }
  return tree;
}

/// A tree for classification. @param nodes, covers  As in arrange_nodes().
/// @param fill_leaf  fill_leaf(node, values) writes a leaf's values [class].
template <typename FillLeaf>
RecordTree finish_nodes(const std::vector<RecordNode>& nodes, const std::vector<double>& covers,
                        std::size_t num_classes, const FillLeaf& fill_leaf) {
  std::vector<std::size_t> leaves;
  RecordTree tree = arrange_nodes(nodes, covers, leaves);
  tree.leaf_values = Array2<std::int32_t>(leaves.size(), num_classes);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) fill_leaf(leaves[leaf], tree.leaf_values.row(leaf));
  return tree;
}

/// The same with the class frequencies of leaves. @param counts_of  counts_of(node) points to a leaf's counts [class],
/// not all 0.
template <typename CountsOf>
RecordTree finish_tree(const std::vector<RecordNode>& nodes, const std::vector<double>& covers, std::size_t num_classes,
                       int fraction_bits, const CountsOf& counts_of) {
  return finish_nodes(nodes, covers, num_classes, [&](std::size_t node, std::int32_t* values) {
    const auto* const counts = counts_of(node);
    to_fixed_point(std::vector<double>(counts, counts + num_classes), fraction_bits, values);
  });
}

/// A tree that predicts a value. @param value_of  value_of(node) is the value of a leaf.
template <typename ValueOf>
RecordTree finish_values(const std::vector<RecordNode>& nodes, const std::vector<double>& covers,
                         const ValueOf& value_of) {
  std::vector<std::size_t> leaves;
  RecordTree tree = arrange_nodes(nodes, covers, leaves);
  tree.float_values = Array2<double>(leaves.size(), 1);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) tree.float_values(leaf, 0) = value_of(leaves[leaf]);
  return tree;
}

}  // namespace fernwood::records
