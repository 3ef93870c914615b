// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <cstdlib>

#include "fernwood/core/error.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

namespace {

void check_header(const RecordForest& forest, const std::string& place) {
  FW_CHECK(!forest.classes.empty() && forest.classes.size() <= kMostClasses, Model,
           place << ": has " << forest.classes.size() << " classes; 1 to " << kMostClasses << " are possible");
  FW_CHECK(!forest.attributes.empty() && forest.attributes.size() <= kMostAttributes, Model,
           place << ": has " << forest.attributes.size() << " attributes; 1 to " << kMostAttributes << " are possible");
  FW_CHECK(forest.link != Link::kLogistic || forest.classes.size() == 2, Model,
           place << ": has link logistic and " << forest.classes.size() << " classes; that link is for 2");
  FW_CHECK(forest.fraction_bits >= 0 && forest.fraction_bits <= 30, Model,
           place << ": has " << forest.fraction_bits << " bits of fraction; 0 to 30 are possible");
  FW_CHECK(forest.base.size() == forest.num_outputs(), Model,
           place << ": has " << forest.base.size() << " base values for " << forest.num_outputs() << " outputs");
}

void check_nodes(const RecordTree& tree, std::size_t num_attributes, const std::string& where) {
  const std::size_t num_nodes = tree.nodes.size(), num_leaves = tree.num_leaves();
  FW_CHECK(num_leaves > 0 && num_nodes == 2 * num_leaves - 1, Model,
           where << ": has " << num_nodes << " nodes and " << num_leaves << " leaves; a tree of n leaves has 2 n - 1");
  std::vector<bool> seen(num_leaves, false);
  std::int64_t next_child = 1;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const RecordNode& node = tree.nodes[i];
    if (node.is_leaf()) {
      const auto leaf = static_cast<std::size_t>(node.leaf_index());
      FW_CHECK(leaf < num_leaves && !seen[leaf], Model,
               where << ", node " << i << ": is leaf " << leaf << "; each of " << num_leaves << " must occur once");
      seen[leaf] = true;
      continue;
    }
    FW_CHECK(
        node.child == next_child && static_cast<std::size_t>(next_child) + 1 < num_nodes, Model,
        where << ", node " << i << ": has child " << node.child << "; in breadth-first order it is " << next_child);
    FW_CHECK(node.attribute < num_attributes, Model,
             where << ", node " << i << ": asks attribute " << node.attribute << " of " << num_attributes);
    FW_CHECK(!std::isnan(node.threshold) && node.nan_left <= 1, Model,
             where << ", node " << i << ": has threshold " << node.threshold << " and nan_left " << node.nan_left
                   << "; a number and 0 or 1 were expected");
    next_child += 2;
  }
}

void check_outputs(const RecordTree& tree, std::size_t num_outputs, const std::string& where) {
  const std::size_t width = tree.leaf_values.cols();
  FW_CHECK(width > 0 && tree.first_output < num_outputs && width <= num_outputs - tree.first_output, Model,
           where << ": gives " << width << " outputs from output " << tree.first_output << " on, of " << num_outputs);
}

/// No sum over trees may overflow 32 bits, whatever leaves a record meets.
void check_sums(const RecordForest& forest, const std::string& place) {
  std::vector<std::int64_t> largest(forest.num_outputs());
  for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::llabs(forest.base[k]);
  for (const RecordTree& tree : forest.trees)
    for (std::size_t k = 0; k < tree.leaf_values.cols(); ++k) {
      std::int64_t of_tree = 0;
      for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
        of_tree = std::max(of_tree, static_cast<std::int64_t>(std::llabs(tree.leaf_values(leaf, k))));
      largest[tree.first_output + k] += of_tree;
    }
  for (std::size_t k = 0; k < largest.size(); ++k)
    FW_CHECK(largest[k] <= INT32_MAX, Model,
             place << ": output " << k << " could reach " << largest[k] << "; sums must fit into 32 bits");
}

}  // namespace

void check_records(const RecordForest& forest, const std::string& place) {
  check_header(forest, place);
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    const std::string where = place + ": tree " + std::to_string(t);
    check_nodes(forest.trees[t], forest.attributes.size(), where);
    check_outputs(forest.trees[t], forest.num_outputs(), where);
  }
  check_sums(forest, place);
}

}  // namespace fernwood::records
