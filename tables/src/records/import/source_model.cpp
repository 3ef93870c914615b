// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/import/source_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::records {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int32_t to_whole(double value, int fraction_bits) {
  return static_cast<std::int32_t>(std::llround(std::ldexp(value, fraction_bits)));
}

/// The distinct sets that trees test.
class SetTable {
 public:
  /// @param num_columns  Of attributes and tables; the columns of tables follow those of sets in the result.
  SetTable(std::size_t num_attributes, std::size_t num_columns, const ErrorContext& place)
      : num_attributes_(num_attributes), num_columns_(num_columns), place_(place) {}

  std::size_t num_columns() const { return num_columns_; }
  /// The column for the test of a set.
  std::uint16_t column_of(const CategorySet& set) {
    const auto found = place_of_.try_emplace(set, num_columns_ + place_of_.size()).first;
    FW_CHECK(num_columns_ + place_of_.size() <= kMaxAttributes, Model,
             place_.file << " has more than " << kMaxAttributes - num_columns_ << " different sets of categories "
                         << "beside " << num_columns_ << " attributes; train with fewer trees, or encode the "
                         << "categories as numbers of their own (one-hot)");
    return static_cast<std::uint16_t>(found->second);
  }
  /// Orders sets so that those of one attribute are adjacent, and renumbers columns in trees accordingly.
  std::vector<CategorySet> sort(std::vector<RecordTree>& trees) const {
    std::vector<CategorySet> sorted;
    std::vector<std::size_t> place_of(num_columns_ + place_of_.size());
    std::iota(place_of.begin(), place_of.end(), std::size_t{0});
    for (std::size_t column = num_attributes_; column < num_columns_; ++column) place_of[column] += place_of_.size();
    for (const auto& [set, column] : place_of_) {
      place_of[column] = num_attributes_ + sorted.size();
      sorted.push_back(set);
    }
    for (RecordTree& tree : trees)
      for (RecordNode& node : tree.nodes)
        if (!node.is_leaf()) node.attribute = static_cast<std::uint16_t>(place_of[node.attribute]);
    return sorted;
  }

 private:
  std::size_t num_attributes_, num_columns_;
  const ErrorContext& place_;
  std::map<CategorySet, std::size_t> place_of_;
};

/// Copies a tree level by level, so that siblings are adjacent and leaves are numbered in the order of nodes.
class TreeCopy {
 public:
  TreeCopy(const SourceModel& model, std::size_t index, SetTable& sets, bool has_covers, const ErrorContext& place)
      : source_(model.trees[index]),
        sets_(sets),
        has_covers_(has_covers),
        is_wide_(model.is_wide),
        numbers_(model.leaf_numbers),
        index_(index),
        place_(place) {}

  /// @param whole_scale  Factor of whole-number values before rounding; 0: there are none.
  RecordTree run(double whole_scale, int fraction_bits) {
    reach(0);
    for (std::size_t i = 0; i < order_.size(); ++i) copy_node(static_cast<std::size_t>(order_[i]));
    tree_.first_output = source_.first_output;
    const std::size_t width = source_.width;
    tree_.float_values = Array2<double>(leaves_.size(), width);
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
      std::copy_n(source_.leaf_values.data() + leaves_[leaf] * width, width, tree_.float_values.row(leaf));
    if (!source_.linear_leaves.empty())
      for (const std::uint32_t leaf : leaves_) tree_.linear_leaves.push_back(source_.linear_leaves[leaf]);
    if (whole_scale != 0) {
      tree_.leaf_values = Array2<std::int32_t>(leaves_.size(), width);
      std::ranges::transform(tree_.float_values, tree_.leaf_values.begin(),
                             [&](double value) { return to_whole(whole_scale * value, fraction_bits); });
    }
    return std::move(tree_);
  }

 private:
  void reach(std::int64_t node) {
    FW_CHECK(node >= 0 && static_cast<std::size_t>(node) < source_.nodes.size(), Model,
             place_.file << ": tree " << index_ << " has a child " << node << ", but " << source_.nodes.size()
                         << " nodes" << place_.remedy);
    order_.push_back(static_cast<std::int32_t>(node));
    FW_CHECK(order_.size() <= source_.nodes.size(), Model,
             place_.file << ": tree " << index_ << ": a node is the child of two" << place_.remedy);
  }

  void copy_node(std::size_t index) {
    const SourceNode& node = source_.nodes[index];
    if (has_covers_) tree_.covers.push_back(node.cover);
    if (is_wide_) tree_.wide_thresholds.push_back(node.is_leaf() || node.asks_set() ? 0 : node.test.wide);
    if (node.is_leaf()) {
      tree_.nodes.push_back({0, ~static_cast<std::int32_t>(leaves_.size()), 0, 0});
      if (numbers_ != LeafNumbers::kUnknown)
        tree_.leaf_numbers.push_back(static_cast<std::int32_t>(numbers_ == LeafNumbers::kNodes ? index : node.leaf));
      leaves_.push_back(node.leaf);
      return;
    }
    FW_CHECK(node.attribute < sets_.num_columns(), Model,
             place_.file << ": tree " << index_ << ", node " << index << " asks attribute " << node.attribute << " of "
                         << sets_.num_columns() << place_.remedy);
    FW_CHECK(
        !std::isnan(node.test.threshold), Model,
        place_.file << ": tree " << index_ << ", node " << index << ": the threshold is not a number" << place_.remedy);
    const bool swapped = node.test.swapped;
    const auto child = static_cast<std::int32_t>(order_.size());
    if (node.asks_set())
      tree_.nodes.push_back(
          {kSetThreshold, child, sets_.column_of(source_.sets[static_cast<std::size_t>(node.set)]), 0});
    else
      tree_.nodes.push_back({node.test.threshold, child, static_cast<std::uint16_t>(node.attribute),
                             static_cast<std::uint16_t>(node.nan_left != swapped)});
    reach(swapped ? node.right : node.left);
    reach(swapped ? node.left : node.right);
  }

  const SourceTree& source_;
  SetTable& sets_;
  bool has_covers_, is_wide_;
  LeafNumbers numbers_;
  std::size_t index_;
  const ErrorContext& place_;
  RecordTree tree_;
  std::vector<std::int32_t> order_;    ///< [node of the copy] Node of the source.
  std::vector<std::uint32_t> leaves_;  ///< [leaf of the copy] Row of the source's values.
};

/// Factor from the library's values to whole-number values: probabilities are not changed, since they are divided by
/// their own sum, and all others become logarithms.
double whole_scale_of(const SourceModel& model) {
  if (model.num_classes == 0) return 0;
  return model.link == Link::kMean ? 1 : model.slope * model.sums.scale / model.sums.divisor;
}

/// [output] Start of whole-number sums.
std::vector<double> whole_base(const SourceModel& model, double scale) {
  std::vector<double> base = model.sums.base;
  for (double& value : base) value *= scale;
  for (std::size_t k = 0; k < model.sums.bias.size(); ++k) base[k] += model.slope * model.sums.bias[k];
  if (model.class_threshold != 0) base[0] -= model.slope * model.class_threshold;
  return base;
}

/// The largest possible magnitude of an output's sum.
double largest_sum(const SourceModel& model, const std::vector<double>& base, double scale) {
  std::vector<double> largest;
  for (const double value : base) largest.push_back(std::abs(value));
  std::vector<double> of_tree;
  for (const SourceTree& tree : model.trees) {
    of_tree.assign(tree.width, 0.0);
    for (std::size_t i = 0; i < tree.leaf_values.size(); ++i)
      of_tree[i % tree.width] = std::max(of_tree[i % tree.width], std::abs(scale * tree.leaf_values[i]));
    for (std::size_t k = 0; k < tree.width; ++k) largest[tree.first_output + k] += of_tree[k];
  }
  return *std::ranges::max_element(largest);
}

/// Covers are used for all nodes or for none: a custom objective may have negative curvatures.
bool has_covers(const SourceModel& model) {
  return std::ranges::all_of(model.trees, [](const SourceTree& tree) {
    return std::ranges::all_of(tree.nodes,
                               [](const SourceNode& node) { return node.cover >= 0 && node.cover < kInfinity; });
  });
}

void check_values(const SourceModel& model, const ErrorContext& place) {
  const double least = model.link == Link::kMean ? 0.0 : -std::numeric_limits<double>::max();
  const auto is_possible = [&](double value) { return value >= least && value < kInfinity; };
  FW_CHECK(std::ranges::all_of(model.sums.base, is_possible), Model,
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
  return {nearest, false, threshold};
}

UpToTest below(double threshold) {
  const float largest = up_to(threshold).threshold;
  const double wide = std::nextafter(threshold, -kInfinity);
  if (largest < threshold) return {largest, false, wide};
  // Nothing is below -infinity, and everything but NaN is up to infinity.
  if (threshold == -kInfinity) return {std::numeric_limits<float>::infinity(), true, kInfinity};
  return {std::nextafter(largest, -std::numeric_limits<float>::infinity()), false, wide};
}

void SourceTree::add_leaf(SourceNode& node, const double* values) {
  node.leaf = static_cast<std::uint32_t>(leaf_values.size() / width);
  leaf_values.insert(leaf_values.end(), values, values + width);
}

void SourceTree::ask_set(SourceNode& node, CategorySet set, bool swapped) {
  set.bounds.attribute = static_cast<std::uint16_t>(node.attribute);
  if (set.words.empty()) set.words.push_back(set.bounds.large_in ? ~std::uint64_t{0} : 0);
  node.set = static_cast<std::int32_t>(sets.size());
  node.test = {kSetThreshold, swapped};
  sets.push_back(std::move(set));
}

RecordForest to_record_forest(const SourceModel& model, const ErrorContext& place) {
  check_values(model, place);
  RecordForest forest;
  forest.link = model.link;
  forest.slope = model.slope;
  forest.class_rule = model.class_rule;
  forest.class_threshold = model.class_threshold;
  forest.trees_per_iteration = model.trees_per_iteration;
  forest.float_sums = model.sums;
  forest.linear_zero = model.linear_zero;
  const double scale = whole_scale_of(model);
  if (scale != 0) {
    const std::vector<double> base = whole_base(model, scale);
    const double largest = largest_sum(model, base, scale), num_terms = static_cast<double>(model.trees.size() + 1);
    // Rounding adds up to half a unit for each tree.
    forest.fraction_bits = fitting_fraction_bits(largest * (1.0 + std::ldexp(num_terms, -31)));
    FW_CHECK(largest < 2e9, Model,
             place.file << ": sums of leaf values reach " << largest
                        << ", more than 32 bits hold; train with a smaller learning rate or more regularisation");
    for (const double value : base) forest.base.push_back(to_whole(value, forest.fraction_bits));
  }
  const bool covers = has_covers(model);
  ColumnRules rules = {model.missing, {}, model.text_attributes, model.tables};
  SetTable sets(model.num_attributes, model.num_attributes + rules.num_columns(), place);
  for (std::size_t t = 0; t < model.trees.size(); ++t)
    forest.trees.push_back(TreeCopy(model, t, sets, covers, place).run(scale, forest.fraction_bits));
  rules.sets = sets.sort(forest.trees);
  forest.columns = std::move(rules);
  return forest;
}

}  // namespace fernwood::records
