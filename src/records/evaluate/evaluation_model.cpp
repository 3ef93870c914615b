// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/evaluation_model.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

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

/// Output 1 minus output 0 of a leaf of a forest of two classes.
std::int64_t margin_of(const RecordForest& forest, const RecordTree& tree, std::size_t leaf) {
  if (forest.link == Link::kLogistic) return tree.leaf_values(leaf, 0);
  if (tree.leaf_values.cols() == 2)
    return static_cast<std::int64_t>(tree.leaf_values(leaf, 1)) - tree.leaf_values(leaf, 0);
  return tree.first_output == 1 ? tree.leaf_values(leaf, 0) : -static_cast<std::int64_t>(tree.leaf_values(leaf, 0));
}
std::int64_t base_margin(const RecordForest& forest) {
  return forest.link == Link::kLogistic ? forest.base[0] : static_cast<std::int64_t>(forest.base[1]) - forest.base[0];
}

/// Whether sums of margins fit into 32 bits whatever leaves are met.
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
  if (wanted == RequestedOutput::kSums && forest.link == Link::kLogistic) return LeafOutput::kMargin;
  if (wanted == RequestedOutput::kClass && forest.trees.size() == 1) return LeafOutput::kClass;
  if (wanted == RequestedOutput::kClass && forest.classes.size() == 2 && margins_fit(forest))
    return LeafOutput::kMargin;
  const bool one_each =
      std::ranges::all_of(forest.trees, [](const RecordTree& tree) { return tree.leaf_values.cols() == 1; });
  return one_each ? LeafOutput::kVote : LeafOutput::kRow;
}

std::int32_t class_of_leaf(const RecordForest& forest, const RecordTree& tree, std::size_t leaf) {
  std::vector<std::int32_t> sums = forest.base;
  add_leaf(tree, leaf, sums.data());
  return choose_class(forest.link, sums.data(), sums.size());
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
    case LeafOutput::kRow:
      break;
  }
  return static_cast<std::int32_t>(first_row + leaf);
}

/// A node that is followed by itself: its test has one outcome for every value, known or not.
FlatNode resting_node(NanSide nan_side, const LinkBits& bits, std::uint32_t slot) {
  if (nan_side == NanSide::kRight) return {not_a_number(), bits.pack(0, 0, slot - 1)};  // nothing is <= NaN: right
  return {std::numeric_limits<float>::infinity(), bits.pack(0, 1, slot)};               // nothing is > infinity: left
}

/// @param first_row  Of its leaves among those of all trees.
void append_tree(const RecordForest& forest, const RecordTree& tree, std::size_t first_row, FlatForest& flat) {
  const auto first_slot = static_cast<std::uint32_t>(flat.nodes.size());
  const auto depth = static_cast<std::uint32_t>(tree.depth());
  flat.trees.push_back({first_slot, static_cast<std::uint32_t>(tree.nodes.size() + 1), depth, tree.first_output});
  flat.depth = std::max(flat.depth, depth);
  flat.nodes.push_back(resting_node(flat.nan_side, flat.bits, 1));
  flat.answers.push_back(0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const RecordNode& node = tree.nodes[i];
    const auto slot = static_cast<std::uint32_t>(i) + kRootSlot;
    flat.nodes.push_back(
        node.is_leaf() ? resting_node(flat.nan_side, flat.bits, slot)
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

/// Of a record: strategies sum up blocks of some 1024 records on each thread.
constexpr std::size_t kMostSummedOutputs = 4096;

/// Where trees give few of many outputs each, a row for each leaf is mostly zeros.
std::string rows_obstacle(const RecordForest& forest, LeafOutput kind) {
  if (kind != LeafOutput::kRow) return "";
  constexpr std::uint64_t kFree = std::uint64_t{1} << 24, kMostSpread = 64;
  std::uint64_t num_leaves = 0, num_values = 0;
  for (const RecordTree& tree : forest.trees) {
    num_leaves += tree.num_leaves();
    num_values += tree.leaf_values.size();
  }
  const std::uint64_t in_rows = num_leaves * forest.num_outputs();
  if (in_rows <= std::max(kFree, kMostSpread * num_values)) return "";
  return "rows of " + std::to_string(forest.num_outputs()) + " outputs for " + std::to_string(num_leaves) +
         " leaves would be zeros but for " + std::to_string(num_values) + " values";
}

/// Why a forest cannot be flattened, as the rest of a sentence; empty when it can.
std::string flat_obstacle(const RecordForest& forest, LeafOutput kind) {
  const std::uint64_t most_slots = std::uint64_t{1} << (31 - bits_for(forest).attribute_bits);
  std::uint64_t num_slots = 0;
  for (const RecordTree& tree : forest.trees) {
    num_slots += tree.nodes.size() + 1;
    if (tree.nodes.size() + 1 > most_slots)
      return "a tree of " + std::to_string(tree.nodes.size()) + " nodes over " +
             std::to_string(forest.attributes.size()) + " attributes does not fit into nodes of 8 bytes";
  }
  if (num_slots > (std::uint64_t{1} << 31)) return "the forest has more than 2^31 nodes";
  if ((kind == LeafOutput::kVote || kind == LeafOutput::kRow) && forest.num_outputs() > kMostSummedOutputs)
    return "blocks of records with " + std::to_string(forest.num_outputs()) + " sums each would take too much memory";
  return rows_obstacle(forest, kind);
}

FlatForest flatten(const RecordForest& forest, RequestedOutput wanted) {
  FlatForest flat;
  flat.bits = bits_for(forest);
  flat.nan_side = nan_side_of(forest);
  flat.kind = kind_of(forest, wanted);
  flat.wanted = wanted;
  flat.link = forest.link;
  flat.base = forest.base;
  if (flat.kind == LeafOutput::kMargin) flat.base = {static_cast<std::int32_t>(base_margin(forest))};
  std::size_t next_row = 0;
  for (const RecordTree& tree : forest.trees) {
    append_tree(forest, tree, next_row, flat);
    next_row += tree.num_leaves();
  }
  if (flat.kind == LeafOutput::kRow) flat.rows = all_rows(forest);
  return flat;
}

}  // namespace

SharedModel make_evaluation_model(const RecordForest& forest, RequestedOutput wanted) {
  check_records(forest, "the forest");
  auto model = std::make_shared<EvaluationModel>();
  model->forest = forest;
  model->flat_obstacle = flat_obstacle(forest, kind_of(forest, wanted));
  if (model->flat_obstacle.empty()) model->flat = flatten(forest, wanted);
  model->rank_unsupported_reason = rank_unsupported_reason(forest);
  if (model->rank_unsupported_reason.empty()) model->ranks = rank_thresholds(forest);
  return model;
}

}  // namespace fernwood::records
