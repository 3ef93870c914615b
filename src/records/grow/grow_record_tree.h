// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/train_records.h"
#include "records/grow/find_split.h"

namespace fernwood::records {

/// With so many bits of fraction sums over the trees stay at or below 2^30.
inline int fraction_bits_of(int trees) { return 30 - static_cast<int>(std::bit_width(static_cast<unsigned>(trees))); }

/// Attributes tried at each node, as the options say or by default.
std::size_t tried_attributes(const RecordTrainOptions& options, std::size_t num_attributes);

/// The records that a tree sees, in their order.
std::vector<Sample> draw_samples(const RecordTable& table, const RecordTrainOptions& options, std::uint32_t tree);

/// What all trees of a forest share while they grow.
struct GrowingPlan {
  const RecordTrainOptions& options;
  const RankedValues& table;
  std::size_t num_classes;
  std::size_t attributes_per_split;
  int fraction_bits;
  ThreadPool& pool;
  bool shares_nodes;  ///< The attributes of a large node are spread over threads, as there are fewer trees.
  std::vector<SplitSearch>& searches;                ///< [thread]
  const std::function<void(std::size_t)>& finished;  ///< Told the samples' weight of each leaf; may throw.
};

/// Grows one tree.
/// @param samples  Ordered by record, all weights above 0, at least one; reordered.
template <typename Terms>
RecordTree grow_record_tree(const GrowingPlan& plan, const Terms& terms, std::uint32_t tree, int worker,
                            std::vector<Sample>& samples);

extern template RecordTree grow_record_tree(const GrowingPlan&, const GiniTerms&, std::uint32_t, int,
                                            std::vector<Sample>&);
extern template RecordTree grow_record_tree(const GrowingPlan&, const EntropyTerms&, std::uint32_t, int,
                                            std::vector<Sample>&);

/// A tree as models have it: breadth first, leaves numbered alike, with the shares of their classes.
/// @param nodes      The root first; children beside each other; those that no path reaches are left out.
/// @param counts_of  counts_of(node) points to a leaf's counts [class], not all 0.
template <typename CountsOf>
RecordTree finish_tree(const std::vector<RecordNode>& nodes, std::size_t num_classes, int fraction_bits,
                       const CountsOf& counts_of) {
  RecordTree tree;
  std::vector<std::size_t> order = {0}, leaves;
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
  }
  tree.leaf_values = Array2<std::int32_t>(leaves.size(), num_classes);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const auto* const counts = counts_of(leaves[leaf]);
    to_fixed_point(std::vector<double>(counts, counts + num_classes), fraction_bits, tree.leaf_values.row(leaf));
  }
  return tree;
}

}  // namespace fernwood::records
