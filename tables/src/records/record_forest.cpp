// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_forest.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::records {

void check_names(const std::vector<std::string>& attributes, const std::vector<std::string>& classes) {
  const auto check = [](const std::vector<std::string>& names, const char* what) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const std::string problem = name_problem(names[i]); !problem.empty())
        throw Error(ErrorKind::kData, "the name of " + std::string(what) + " " + std::to_string(i + 1) + " " + problem +
                                          "; a model file needs short names in UTF-8, rename it");
  };
  check(attributes, "attribute");
  check(classes, "class");
  const std::string problem = ambiguity_of(attributes, classes);
  FW_CHECK(problem.empty(), Data, "the table " << problem << "; rename it");
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
    case Link::kIdentity:
      return "identity";
    case Link::kExponential:
      return "exponential";
    case Link::kSigmoid:
      return "sigmoid";
    case Link::kSoftplus:
      return "softplus";
    case Link::kSignedSquare:
      return "signed-square";
    case Link::kIsolation:
      return "isolation";
  }
  return "unknown";
}

std::string to_string(ClassRule rule) {
  switch (rule) {
    case ClassRule::kProbability:
      return "probability";
    case ClassRule::kSum:
      return "sum";
    case ClassRule::kSumFromZero:
      return "sum_from_zero";
  }
  return "unknown";
}

std::size_t num_iterations(const RecordForest& forest) {
  FW_CHECK(
      forest.trees_per_iteration > 0, Usage,
      "it is not known which trees each iteration of the model added, as files of ONNX and Treelite do not say it, "
      "so that the first iterations cannot be chosen; evaluate all, or import the model from the library that "
      "trained it");
  return forest.trees.size() / forest.trees_per_iteration;
}

RecordForest first_iterations(const RecordForest& forest, std::size_t count) {
  const std::size_t all = num_iterations(forest);
  FW_CHECK(count >= 1 && count <= all, Usage,
           "the first " << count << " iterations were asked for, and the model has " << all << "; use 1 to " << all);
  RecordForest first = forest;
  if (count == all) return first;
  first.trees.resize(count * forest.trees_per_iteration);
  if (!first.float_sums) return first;
  FloatSums& sums = *first.float_sums;
  if (!sums.divisors.empty()) {
    sums.divisors.resize(count);
    sums.divisor = sums.divisors.back();
  } else if (sums.divisor != 1) {  // sums are averages over trees
    sums.divisor = sums.divisor / static_cast<double>(all) * static_cast<double>(count);
  }
  return first;
}

std::size_t num_tests(const RecordForest& forest) {
  std::size_t count = 0;
  for (const RecordTree& tree : forest.trees) count += tree.nodes.size() / 2;
  return count;
}

namespace {

/// [column] The attributes that it depends on, without duplicates.
std::vector<std::vector<std::uint16_t>> attributes_of_columns(const RecordForest& forest) {
  std::vector<std::vector<std::uint16_t>> found;
  for (std::size_t a = 0; a < forest.attributes.size(); ++a) found.push_back({static_cast<std::uint16_t>(a)});
  for (const CategorySet& set : forest.columns.sets) found.push_back({set.bounds.attribute});
  for (const CategoryTable& table : forest.columns.tables) {
    std::set<std::uint16_t> attributes;
    for (const KeyPart& part : table.parts) attributes.insert(part.attribute);
    found.insert(found.end(), table.num_columns(), {attributes.begin(), attributes.end()});
  }
  return found;
}

}  // namespace

RecordSummary summarize(const RecordForest& forest) {
  RecordSummary summary;
  for (const std::string& name : forest.attributes) summary.attributes.push_back({name, 0});
  const std::vector<std::vector<std::uint16_t>> asked_by = attributes_of_columns(forest);
  for (const RecordTree& tree : forest.trees) {
    summary.trees.push_back({tree.nodes.size(), tree.num_leaves(), tree.depth()});
    summary.num_nodes += tree.nodes.size();
    summary.num_leaves += tree.num_leaves();
    for (const RecordNode& node : tree.nodes)
      if (!node.is_leaf())
        for (const std::uint16_t attribute : asked_by[node.attribute]) ++summary.attributes[attribute].splits;
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

std::vector<double> importances(const RecordForest& forest) {
  std::vector<double> decreases(forest.attributes.size());
  for (const RecordTree& tree : forest.trees) {
    Array2<double> means(tree.nodes.size(), tree.width());
    for (std::size_t n = tree.nodes.size(); n-- > 0;) {  // children come after their parent
      const RecordNode& node = tree.nodes[n];
      const auto left = static_cast<std::size_t>(node.is_leaf() ? node.leaf_index() : node.child), right = left + 1;
      for (std::size_t k = 0; k < means.cols(); ++k) {
        if (node.is_leaf()) {
          means(n, k) = tree.leaf_values.size() > 0 ? tree.leaf_values(left, k) : tree.float_values(left, k);
          continue;
        }
        const double apart = means(left, k) - means(right, k), to_right = tree.covers[right] / tree.covers[n];
        means(n, k) = means(left, k) - to_right * apart;
        decreases[node.attribute] += tree.covers[left] * to_right * apart * apart;
      }
    }
  }
  const double sum = std::accumulate(decreases.begin(), decreases.end(), 0.0);
  for (double& decrease : decreases) decrease /= sum > 0 ? sum : 1;
  return decreases;
}

}  // namespace fernwood::records
