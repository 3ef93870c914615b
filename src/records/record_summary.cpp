// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_summary.h"

#include <algorithm>
#include <functional>

namespace fernwood::records {

RecordSummary summarize(const RecordForest& forest) {
  RecordSummary summary;
  for (const std::string& name : forest.attributes) summary.attributes.push_back({name, 0});
  for (const RecordTree& tree : forest.trees) {
    summary.trees.push_back({tree.nodes.size(), tree.num_leaves(), tree.depth()});
    summary.num_nodes += tree.nodes.size();
    summary.num_leaves += tree.num_leaves();
    for (const RecordNode& node : tree.nodes)
      if (!node.is_leaf()) ++summary.attributes[node.attribute].splits;
  }
  if (!summary.trees.empty()) {
    const auto [least, most] =
        std::ranges::minmax(summary.trees, {}, [](const RecordSummary::TreeSummary& tree) { return tree.depth; });
    summary.min_depth = least.depth;
    summary.max_depth = most.depth;
  }
  std::ranges::stable_sort(summary.attributes, std::greater(), &RecordSummary::AttributeUse::splits);
  return summary;
}

}  // namespace fernwood::records
