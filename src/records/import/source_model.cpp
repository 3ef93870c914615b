// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/import/source_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fernwood/core/error.h"

namespace fernwood::records {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Copies a tree level by level, so that siblings lie side by side and leaves are counted in the order of nodes.
class TreeCopy {
 public:
  TreeCopy(const SourceTree& source, std::size_t num_attributes, std::size_t index, const ErrorContext& place)
      : source_(source), num_attributes_(num_attributes), index_(index), place_(place) {}

  RecordTree run(int fraction_bits) {
    reach(0);
    for (std::size_t i = 0; i < order_.size(); ++i) copy_node(static_cast<std::size_t>(order_[i]));
    tree_.first_output = source_.first_output;
    tree_.leaf_values = Array2<std::int32_t>(leaves_.size(), source_.width);
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
      for (std::size_t k = 0; k < source_.width; ++k)
        tree_.leaf_values(leaf, k) = static_cast<std::int32_t>(
            std::llround(std::ldexp(source_.leaf_values[leaves_[leaf] * source_.width + k], fraction_bits)));
    return std::move(tree_);
  }

 private:
  void reach(std::int64_t node) {
    FW_CHECK(node >= 0 && static_cast<std::size_t>(node) < source_.nodes.size(), Model,
             place_.file << ": tree " << index_ << ": has a child " << node << ", but " << source_.nodes.size()
                         << " nodes" << place_.remedy);
    order_.push_back(static_cast<std::int32_t>(node));
    FW_CHECK(order_.size() <= source_.nodes.size(), Model,
             place_.file << ": tree " << index_ << ": a node is the child of two" << place_.remedy);
  }

  void copy_node(std::size_t index) {
    const SourceNode& node = source_.nodes[index];
    if (node.is_leaf()) {
      tree_.nodes.push_back({0, ~static_cast<std::int32_t>(leaves_.size()), 0, 0});
      leaves_.push_back(node.leaf);
      return;
    }
    FW_CHECK(node.attribute < num_attributes_, Model,
             place_.file << ": tree " << index_ << ", node " << index << ": asks attribute " << node.attribute << " of "
                         << num_attributes_ << place_.remedy);
    FW_CHECK(
        !std::isnan(node.test.threshold), Model,
        place_.file << ": tree " << index_ << ", node " << index << ": the threshold is not a number" << place_.remedy);
    const bool swapped = node.test.swapped;
    tree_.nodes.push_back({node.test.threshold, static_cast<std::int32_t>(order_.size()),
                           static_cast<std::uint16_t>(node.attribute),
                           static_cast<std::uint16_t>(node.nan_left != swapped)});
    reach(swapped ? node.right : node.left);
    reach(swapped ? node.left : node.right);
  }

  const SourceTree& source_;
  std::size_t num_attributes_, index_;
  const ErrorContext& place_;
  RecordTree tree_;
  std::vector<std::int32_t> order_;    ///< [node of the copy] node of the source.
  std::vector<std::uint32_t> leaves_;  ///< [leaf of the copy] row of the source's values.
};

/// The largest magnitude that an output's sum can have.
double largest_sum(const SourceModel& model) {
  std::vector<double> largest;
  for (const double value : model.base) largest.push_back(std::abs(value));
  std::vector<double> of_tree;
  for (const SourceTree& tree : model.trees) {
    of_tree.assign(tree.width, 0.0);
    for (std::size_t i = 0; i < tree.leaf_values.size(); ++i)
      of_tree[i % tree.width] = std::max(of_tree[i % tree.width], std::abs(tree.leaf_values[i]));
    for (std::size_t k = 0; k < tree.width; ++k) largest[tree.first_output + k] += of_tree[k];
  }
  return *std::ranges::max_element(largest);
}

void check_values(const SourceModel& model, const ErrorContext& place) {
  const double least = model.link == Link::kMean ? 0.0 : -std::numeric_limits<double>::max();
  const auto is_possible = [&](double value) { return value >= least && value < kInfinity; };
  FW_CHECK(std::ranges::all_of(model.base, is_possible), Model,
           place.file << ": a base score is not a number that is possible there" << place.remedy);
  for (std::size_t t = 0; t < model.trees.size(); ++t)
    FW_CHECK(std::ranges::all_of(model.trees[t].leaf_values, is_possible), Model,
             place.file << ": tree " << t << ": a leaf's value is not "
                        << (model.link == Link::kMean ? "a probability" : "a number") << place.remedy);
}

}  // namespace

UpToTest up_to(double threshold) {
  float nearest = static_cast<float>(threshold);
  if (nearest > threshold) nearest = std::nextafter(nearest, -std::numeric_limits<float>::infinity());
  return {nearest, false};
}

UpToTest below(double threshold) {
  const float largest = up_to(threshold).threshold;
  if (largest < threshold) return {largest, false};
  // Nothing lies below -infinity, and everything but NaN is up to infinity.
  if (threshold == -kInfinity) return {std::numeric_limits<float>::infinity(), true};
  return {std::nextafter(largest, -std::numeric_limits<float>::infinity()), false};
}

void SourceTree::add_leaf(SourceNode& node, const double* values) {
  node.leaf = static_cast<std::uint32_t>(leaf_values.size() / width);
  leaf_values.insert(leaf_values.end(), values, values + width);
}

RecordForest to_record_forest(const SourceModel& model, const ErrorContext& place) {
  check_values(model, place);
  RecordForest forest;
  forest.link = model.link;
  const double largest = largest_sum(model), num_terms = static_cast<double>(model.trees.size() + 1);
  // Rounding adds up to half a unit for each tree.
  forest.fraction_bits = fitting_fraction_bits(largest * (1.0 + std::ldexp(num_terms, -31)));
  FW_CHECK(largest < 2e9, Model,
           place.file << ": sums of leaf values reach " << largest << ", more than 32 bits hold; train with a smaller "
                      << "learning rate or more regularisation");
  for (const double value : model.base)
    forest.base.push_back(static_cast<std::int32_t>(std::llround(std::ldexp(value, forest.fraction_bits))));
  for (std::size_t t = 0; t < model.trees.size(); ++t)
    forest.trees.push_back(TreeCopy(model.trees[t], model.num_attributes, t, place).run(forest.fraction_bits));
  return forest;
}

}  // namespace fernwood::records
