// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/speculation.h"

namespace fernwood::lab {

using records::EvaluationModel;
using records::FlatTree;
using records::PackedBits;
using records::PackedForest;
using records::PackedRecordNode;
using records::Values;

SpeculativeTree speculative_tree(const EvaluationModel& model, Values values) {
  const PackedForest packed = records::pack(model, values, records::AttributeNames::kRecord);
  SpeculativeTree tree;
  tree.bits = packed.bits;
  for (std::uint32_t slot = records::kRootSlot; slot < model.flat.trees[0].num_slots; ++slot) {
    const PackedRecordNode& node = packed.nodes[slot];
    const auto index = static_cast<std::int32_t>(slot - records::kRootSlot);
    if (PackedBits::is_leaf(node.link)) {
      tree.nodes.push_back(PackedRecordNode{0, 0});
      tree.child.push_back(index);
      tree.answers.push_back(static_cast<std::int32_t>(node.payload));
      continue;
    }
    tree.nodes.push_back(node);
    tree.child.push_back(static_cast<std::int32_t>(packed.bits.children(node.link) - records::kRootSlot));
    tree.answers.push_back(kNoAnswer);
    tree.tests.push_back(index);
  }
  return tree;
}

namespace {

/// Divides a tree into windows, which are filled in the order in which their roots were found.
class TreeCutter {
 public:
  TreeCutter(const PackedForest& packed, std::uint32_t first_slot, WindowedForest& windowed)
      : packed_(packed), first_slot_(first_slot), windowed_(windowed) {}

  void cut() {
    first_window_ = windowed_.tests.size() / kWindowExits;
    window_roots_ = {records::kRootSlot};
    for (std::size_t w = 0; w < window_roots_.size(); ++w) {
      windowed_.tests.resize(windowed_.tests.size() + kWindowExits, PackedRecordNode{0, 0});
      windowed_.exits.resize(windowed_.exits.size() + kWindowExits);
      fill(first_window_ + w, window_roots_[w], 0);
    }
  }

 private:
  /// @param place  Index in the window's breadth-first order; exits follow the tests.
  void fill(std::size_t window, std::uint32_t slot, std::uint32_t place) {
    const PackedRecordNode& node = packed_.nodes[first_slot_ + slot];
    const bool leaf = PackedBits::is_leaf(node.link);
    if (place >= kWindowTests) {
      WindowExit& exit = windowed_.exits[window * kWindowExits + place - kWindowTests];
      exit = leaf ? WindowExit{-1, static_cast<std::int32_t>(node.payload)} : WindowExit{enter(slot), 0};
      return;
    }
    if (leaf) {  // the tests below it are unused: both sides lead to this leaf
      fill(window, slot, 2 * place + 1);
      fill(window, slot, 2 * place + 2);
      return;
    }
    const std::uint32_t attribute = packed_.bits.attribute(node.link);
    windowed_.tests[window * kWindowExits + place] = {
        node.payload, packed_.bits.pack(attribute, packed_.bits.nan_left(node.link), 0)};
    fill(window, packed_.bits.children(node.link), 2 * place + 1);
    fill(window, packed_.bits.children(node.link) + 1, 2 * place + 2);
  }

  std::int32_t enter(std::uint32_t slot) {
    window_roots_.push_back(slot);
    return static_cast<std::int32_t>(first_window_ + window_roots_.size() - 1);
  }

  const PackedForest& packed_;
  const std::uint32_t first_slot_;
  WindowedForest& windowed_;
  std::size_t first_window_ = 0;
  std::vector<std::uint32_t> window_roots_;
};

}  // namespace

WindowedForest cut_into_windows(const EvaluationModel& model, Values values) {
  const PackedForest packed = records::pack(model, values, records::AttributeNames::kRecord);
  WindowedForest windowed;
  windowed.bits = packed.bits;
  for (const FlatTree& tree : model.flat.trees) {
    windowed.roots.push_back(static_cast<std::uint32_t>(windowed.tests.size() / kWindowExits));
    TreeCutter(packed, tree.first_slot, windowed).cut();
  }
  return windowed;
}

}  // namespace fernwood::lab
