// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_forest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "fernwood/core/error.h"
#include "fernwood/core/utf8.h"

namespace fernwood::records {

std::string name_problem(const std::string& name) {
  constexpr std::size_t kLongest = 4096;
  const auto is_control = [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; };
  if (!is_utf8(name)) return "is not UTF-8";
  if (name.size() > kLongest)
    return "has " + std::to_string(name.size()) + " bytes, more than " + std::to_string(kLongest);
  if (std::ranges::any_of(name, is_control)) return "holds a control character";
  return {};
}

void check_names(const std::vector<std::string>& attributes, const std::vector<std::string>& classes) {
  const auto check = [](const std::vector<std::string>& names, const char* what) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const std::string problem = name_problem(names[i]); !problem.empty())
        throw Error(ErrorKind::kData, "the name of " + std::string(what) + " " + std::to_string(i + 1) + " " + problem +
                                          "; a model file needs short names in UTF-8, rename it");
  };
  check(attributes, "attribute");
  check(classes, "class");
}

int RecordTree::depth() const {
  std::vector<int> depth_of(nodes.size(), 0);
  int depth = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    depth = std::max(depth, depth_of[i]);
    if (nodes[i].is_leaf()) continue;
    const auto child = static_cast<std::size_t>(nodes[i].child);
    depth_of[child] = depth_of[child + 1] = depth_of[i] + 1;
  }
  return depth;
}

std::string to_string(Link link) {
  switch (link) {
    case Link::kMean:
      return "mean";
    case Link::kLogistic:
      return "logistic";
    case Link::kSoftmax:
      return "softmax";
  }
  return "unknown";
}

std::size_t num_tests(const RecordForest& forest) {
  std::size_t count = 0;
  for (const RecordTree& tree : forest.trees) count += tree.nodes.size() / 2;
  return count;
}

void add_leaf(const RecordTree& tree, std::size_t leaf, std::int32_t* sums) {
  for (std::size_t k = 0; k < tree.leaf_values.cols(); ++k) sums[tree.first_output + k] += tree.leaf_values(leaf, k);
}

void sum_trees(const RecordForest& forest, const float* record, std::int32_t* sums) {
  std::ranges::copy(forest.base, sums);
  const auto value_of = [&](std::uint16_t attribute) { return record[attribute]; };
  for (const RecordTree& tree : forest.trees)
    add_leaf(tree, static_cast<std::size_t>(find_leaf_of(tree.nodes, value_of)), sums);
}

void probabilities_of(const RecordForest& forest, const std::int32_t* sums, float* probabilities) {
  const std::size_t num_classes = forest.classes.size();
  const double unit = std::ldexp(1.0, -forest.fraction_bits);
  if (forest.link == Link::kLogistic) {
    probabilities[1] = static_cast<float>(1.0 / (1.0 + std::exp(-sums[0] * unit)));
    probabilities[0] = 1.0f - probabilities[1];
    return;
  }
  const double equal_share = 1.0 / static_cast<double>(num_classes);
  if (forest.link == Link::kMean) {  // no memory is asked for: there may be a million records
    const double total = std::accumulate(sums, sums + num_classes, 0.0);
    for (std::size_t c = 0; c < num_classes; ++c)
      probabilities[c] = static_cast<float>(total > 0 ? sums[c] / total : equal_share);
    return;
  }
  std::vector<double> weights(num_classes);
  const std::int32_t largest = *std::max_element(sums, sums + num_classes);
  for (std::size_t c = 0; c < num_classes; ++c) weights[c] = std::exp((static_cast<double>(sums[c]) - largest) * unit);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t c = 0; c < num_classes; ++c) probabilities[c] = static_cast<float>(weights[c] / total);
}

int fitting_fraction_bits(double largest_sum) {
  int bits = 30;
  while (bits > 0 && std::ldexp(largest_sum, bits) > 2147483000.0) --bits;
  return bits;
}

void to_fixed_point(const std::vector<double>& weights, int fraction_bits, std::int32_t* fixed) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double total = sum > 0 ? sum : static_cast<double>(weights.size());
  const std::int32_t one = std::int32_t{1} << fraction_bits;
  std::vector<double> remainders(weights.size());
  std::int32_t left = one;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    const double exact = (sum > 0 ? weights[c] : 1.0) / total * one;
    fixed[c] = std::min(static_cast<std::int32_t>(exact), left);
    remainders[c] = exact - fixed[c];
    left -= fixed[c];
  }
  for (; left > 0; --left) {
    const auto c = std::max_element(remainders.begin(), remainders.end()) - remainders.begin();
    ++fixed[c];
    remainders[static_cast<std::size_t>(c)] -= 1.0;
  }
}

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
        node.child == next_child && static_cast<std::size_t>(next_child) > i &&
            static_cast<std::size_t>(next_child) + 1 < num_nodes,
        Model,
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
