// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/evaluation_model.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::records {

namespace {

LinkBits bits_for(const RecordForest& forest) {
  return {static_cast<std::uint32_t>(std::bit_width(forest.attributes.size() - 1))};
}

NanSide nan_side_of(const RecordForest& forest) {
  bool left = false, right = false;
  for (const RecordTree& tree : forest.trees)
    for (const RecordNode& node : tree.nodes)
      if (!node.is_leaf()) (node.nan_left ? left : right) = true;
  return left && right ? NanSide::kEither : left ? NanSide::kLeft : NanSide::kRight;
}

/// Output 1 minus output 0 of a leaf, for a forest of two classes.
std::int64_t margin_of(const RecordForest& forest, const RecordTree& tree, std::size_t leaf) {
  if (forest.link == Link::kLogistic) return tree.leaf_values(leaf, 0);
  if (tree.leaf_values.cols() == 2)
    return static_cast<std::int64_t>(tree.leaf_values(leaf, 1)) - tree.leaf_values(leaf, 0);
  return tree.first_output == 1 ? tree.leaf_values(leaf, 0) : -static_cast<std::int64_t>(tree.leaf_values(leaf, 0));
}
std::int64_t base_margin(const RecordForest& forest) {
  return forest.link == Link::kLogistic ? forest.base[0] : static_cast<std::int64_t>(forest.base[1]) - forest.base[0];
}

/// Whether sums of margins fit into 32 bits for any combination of leaves.
bool margins_fit(const RecordForest& forest) {
  std::int64_t largest = std::llabs(base_margin(forest));
  for (const RecordTree& tree : forest.trees) {
    std::int64_t of_tree = 0;
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      of_tree = std::max(of_tree, static_cast<std::int64_t>(std::llabs(margin_of(forest, tree, leaf))));
    largest += of_tree;
  }
  return largest <= std::numeric_limits<std::int32_t>::max();
}

LeafOutput kind_of(const RecordForest& forest, RequestedOutput wanted) {
  if (wanted == RequestedOutput::kValues || wanted == RequestedOutput::kLeaves) return LeafOutput::kLeaf;
  if (wanted == RequestedOutput::kSums && forest.link == Link::kLogistic) return LeafOutput::kMargin;
  if (wanted == RequestedOutput::kClass && forest.trees.size() == 1) return LeafOutput::kClass;
  if (wanted == RequestedOutput::kClass && forest.classes.size() == 2 && margins_fit(forest))
    return LeafOutput::kMargin;
  const bool one_each =
      std::ranges::all_of(forest.trees, [](const RecordTree& tree) { return tree.leaf_values.cols() == 1; });
  return one_each ? LeafOutput::kVote : LeafOutput::kRow;
}

std::int32_t answer_of(const RecordForest& forest, const RecordTree& tree, std::size_t leaf, std::size_t first_row,
                       LeafOutput kind) {
  switch (kind) {
    case LeafOutput::kClass:
      return class_of_leaf(forest, tree, leaf);
    case LeafOutput::kMargin:
      return static_cast<std::int32_t>(margin_of(forest, tree, leaf));
    case LeafOutput::kVote:
      return tree.leaf_values(leaf, 0);
    case LeafOutput::kLeaf:
      return static_cast<std::int32_t>(leaf);
    case LeafOutput::kRow:
      break;
  }
  return static_cast<std::int32_t>(first_row + leaf);
}

/// A node whose successor is itself: its test has one outcome for every value, known or not.
FlatNode self_loop_node(NanSide nan_side, const LinkBits& bits, std::uint32_t slot) {
  if (nan_side == NanSide::kRight) return {not_a_number(), bits.pack(0, 0, slot - 1)};  // nothing is <= NaN: right
  return {std::numeric_limits<float>::infinity(), bits.pack(0, 1, slot)};               // nothing is > infinity: left
}

/// @param first_row  Index of the tree's first leaf among those of all trees.
void append_tree(const RecordForest& forest, const RecordTree& tree, std::size_t first_row, FlatForest& flat) {
  const auto first_slot = static_cast<std::uint32_t>(flat.nodes.size());
  const auto depth = static_cast<std::uint32_t>(tree.depth());
  flat.trees.push_back({first_slot, static_cast<std::uint32_t>(tree.nodes.size() + 1), depth, tree.first_output});
  flat.depth = std::max(flat.depth, depth);
  flat.nodes.push_back(self_loop_node(flat.nan_side, flat.bits, 1));
  flat.answers.push_back(0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const RecordNode& node = tree.nodes[i];
    const auto slot = static_cast<std::uint32_t>(i) + kRootSlot;
    flat.nodes.push_back(
        node.is_leaf() ? self_loop_node(flat.nan_side, flat.bits, slot)
                       : FlatNode{node.threshold, flat.bits.pack(node.attribute, node.nan_left,
                                                                 static_cast<std::uint32_t>(node.child) + kRootSlot)});
    const auto leaf = static_cast<std::size_t>(node.leaf_index());
    flat.answers.push_back(node.is_leaf() ? answer_of(forest, tree, leaf, first_row, flat.kind) : 0);
  }
}

/// The leaves of all trees, each with a value for every output.
Array2<std::int32_t> all_rows(const RecordForest& forest) {
  std::size_t num_rows = 0;
  for (const RecordTree& tree : forest.trees) num_rows += tree.num_leaves();
  Array2<std::int32_t> rows(num_rows, forest.num_outputs(), 0);
  std::size_t row = 0;
  for (const RecordTree& tree : forest.trees)
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf, ++row)
      std::copy_n(tree.leaf_values.row(leaf), tree.leaf_values.cols(), rows.row(row) + tree.first_output);
  return rows;
}

/// Limit for one record: strategies sum blocks of about 1024 records on each thread.
constexpr std::size_t kMaxSummedOutputs = 4096;

/// Where each tree adds to few of many outputs, a row for each leaf is mostly zeros.
OptionSentence rows_unsupported(const RecordForest& forest, LeafOutput kind) {
  if (kind != LeafOutput::kRow) return "";
  constexpr std::uint64_t kFree = std::uint64_t{1} << 24, kMaxSpread = 64;
  std::uint64_t num_leaves = 0, num_values = 0;
  for (const RecordTree& tree : forest.trees) {
    num_leaves += tree.num_leaves();
    num_values += tree.leaf_values.size();
  }
  const std::uint64_t in_rows = num_leaves * forest.num_outputs();
  if (in_rows <= std::max(kFree, kMaxSpread * num_values)) return "";
  return "rows of " + std::to_string(forest.num_outputs()) + " outputs for " + std::to_string(num_leaves) +
         " leaves would be zeros but for " + std::to_string(num_values) + " values";
}

/// Why a forest cannot be flattened, as the rest of a sentence; empty when it can.
OptionSentence flat_unsupported(const RecordForest& forest, LeafOutput kind) {
  const std::uint64_t most_slots = std::uint64_t{1} << (31 - bits_for(forest).attribute_bits);
  std::uint64_t num_slots = 0;
  for (const RecordTree& tree : forest.trees) {
    num_slots += tree.nodes.size() + 1;
    if (tree.nodes.size() + 1 > most_slots)
      return "a tree of " + std::to_string(tree.nodes.size()) + " nodes over " +
             std::to_string(forest.attributes.size()) + " attributes does not fit into nodes of 8 bytes";
  }
  if (num_slots > (std::uint64_t{1} << 31)) return "the forest has more than 2^31 nodes";
  if (kind != LeafOutput::kClass && kind != LeafOutput::kMargin && forest.num_outputs() > kMaxSummedOutputs)
    return "blocks of records with " + std::to_string(forest.num_outputs()) + " sums each would take too much memory";
  std::uint64_t num_values = 0;
  for (const RecordTree& tree : forest.trees) num_values += tree.float_values.size();
  if (num_values > UINT32_MAX) return "the forest has more than 2^32 values in its leaves";
  return rows_unsupported(forest, kind);
}

/// Appends the values of the leaves of all trees, in the type of their sums.
void append_values(const RecordForest& forest, FlatForest& flat) {
  flat.float_sums = *forest.float_sums;
  std::uint32_t first_value = 0;
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    const Array2<double>& values = forest.trees[t].float_values;
    flat.trees[t].first_value = first_value;
    flat.trees[t].width = static_cast<std::uint32_t>(values.cols());
    first_value += static_cast<std::uint32_t>(values.size());
    if (flat.float_sums.is_single)
      std::ranges::transform(values, std::back_inserter(flat.floats), [](double x) { return static_cast<float>(x); });
    else
      flat.doubles.insert(flat.doubles.end(), values.begin(), values.end());
  }
}

FlatForest flatten(const RecordForest& forest, RequestedOutput wanted) {
  FlatForest flat;
  flat.bits = bits_for(forest);
  flat.nan_side = nan_side_of(forest);
  flat.kind = kind_of(forest, wanted);
  flat.wanted = wanted;
  flat.link = forest.link;
  flat.base = forest.base;
  if (wanted == RequestedOutput::kClass) flat.margin = deciding_margin(forest);
  if (flat.kind == LeafOutput::kMargin) flat.base = {static_cast<std::int32_t>(base_margin(forest))};
  std::size_t num_slots = 0, next_row = 0;
  for (const RecordTree& tree : forest.trees) num_slots += tree.nodes.size() + 1;
  flat.nodes.reserve(num_slots);
  flat.answers.reserve(num_slots);
  for (const RecordTree& tree : forest.trees) {
    append_tree(forest, tree, next_row, flat);
    next_row += tree.num_leaves();
  }
  if (flat.kind == LeafOutput::kRow) flat.rows = all_rows(forest);
  if (wanted == RequestedOutput::kValues) append_values(forest, flat);
  return flat;
}

/// The same forest over columns, which become ordinary attributes.
RecordForest over_columns(RecordForest forest) {
  const ColumnRules rules = std::exchange(forest.columns, {});
  for (std::size_t i = 0; i < rules.sets.size(); ++i)
    forest.attributes.push_back(forest.attributes[rules.sets[i].bounds.attribute] + " in set " + std::to_string(i));
  for (std::size_t i = 0; i < rules.tables.size(); ++i)
    forest.attributes.insert(forest.attributes.end(), rules.tables[i].num_columns(),
                             "a column of table " + std::to_string(i));
  return forest;
}

/// The class by floating-point sums: that of a forest whose only tree is the leaf.
std::int32_t class_of_float_leaf(const RecordForest& forest, const RecordTree& tree, std::size_t leaf) {
  RecordForest alone;
  alone.classes = forest.classes;
  alone.link = forest.link;
  alone.slope = forest.slope;
  alone.class_rule = forest.class_rule;
  alone.class_threshold = forest.class_threshold;
  alone.base = forest.base;
  alone.float_sums = forest.float_sums;
  RecordTree& only = alone.trees.emplace_back();
  only.nodes = {RecordNode{}};
  only.first_output = tree.first_output;
  only.leaf_values = Array2<std::int32_t>(1, tree.leaf_values.cols());
  only.float_values = Array2<double>(1, tree.float_values.cols());
  std::copy_n(tree.leaf_values.row(leaf), tree.leaf_values.cols(), only.leaf_values.row(0));
  std::copy_n(tree.float_values.row(leaf), tree.float_values.cols(), only.float_values.row(0));
  return classify_record(alone, nullptr);
}

}  // namespace

std::int32_t class_of_leaf(const RecordForest& forest, const RecordTree& tree, std::size_t leaf) {
  std::vector<std::int32_t> sums = forest.base;
  add_leaf(tree, leaf, sums.data());
  const std::int32_t found = choose_class_surely(forest.link, sums.data(), sums.size(), deciding_margin(forest));
  return found == kUndecided ? class_of_float_leaf(forest, tree, leaf) : found;
}

std::size_t found_width(const EvaluationModel& model) {
  switch (model.wanted) {
    case RequestedOutput::kClass:
      return 1;
    case RequestedOutput::kLeaves:
      return model.forest.trees.size();
    case RequestedOutput::kSums:
    case RequestedOutput::kValues:
      break;
  }
  return model.forest.num_outputs();
}

SharedModel make_evaluation_model(const RecordForest& forest, RequestedOutput wanted) {
  check_records(forest, "the forest");
  const bool asks_class = wanted == RequestedOutput::kClass || wanted == RequestedOutput::kSums;
  FW_CHECK(!asks_class || forest.has_classes(), Usage,
           "the forest predicts values and has no classes; ask for its values");
  FW_CHECK(wanted != RequestedOutput::kValues || forest.float_sums, Usage,
           "the forest has integer sums only; ask for its probabilities");
  FW_CHECK(wanted == RequestedOutput::kLeaves || !forest.has_linear_leaves(), Usage,
           "the forest has linear functions in its leaves, and strategies alone find only the leaf's number; "
           "evaluate it by fernwood-tables predict");
  auto model = std::make_shared<EvaluationModel>();
  model->wanted = wanted;
  model->forest = over_columns(forest);
  model->columns = forest.columns;
  model->num_attributes = forest.attributes.size();
  if (!model->columns.empty()) model->reader.emplace(model->columns, model->num_attributes);
  model->flat_unsupported = flat_unsupported(model->forest, kind_of(forest, wanted));
  if (model->flat_unsupported.empty()) model->flat = flatten(model->forest, wanted);
  model->ranks_unsupported = ranks_unsupported(model->forest);
  if (model->ranks_unsupported.empty()) model->ranks = rank_thresholds(model->forest);
  return model;
}

}  // namespace fernwood::records
