// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fernwood::records {

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
  std::vector<double> weights(num_classes);
  const std::int32_t largest = *std::max_element(sums, sums + num_classes);
  for (std::size_t c = 0; c < num_classes; ++c)
    weights[c] = forest.link == Link::kMean ? sums[c] : std::exp((static_cast<double>(sums[c]) - largest) * unit);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t c = 0; c < num_classes; ++c)
    probabilities[c] = static_cast<float>(total > 0 ? weights[c] / total : 1.0 / static_cast<double>(num_classes));
}

int fitting_fraction_bits(double largest_sum) {
  int bits = 30;
  while (bits > 0 && std::ldexp(largest_sum, bits) > 2147483000.0) --bits;
  return bits;
}

void to_fixed_point(const std::vector<double>& weights, int fraction_bits, std::int32_t* fixed) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const std::int32_t one = std::int32_t{1} << fraction_bits;
  std::vector<double> remainders(weights.size());
  std::int32_t left = one;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    const double exact = weights[c] / total * one;
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

}  // namespace fernwood::records
