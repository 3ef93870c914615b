// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "records/evaluate/answer_sums.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {

/// Steps that are taken in all trees before those that have ended are left out.
constexpr std::uint32_t kStepsAtOnce = 4;

/// The place of a record in a tree. Slots are those of FlatForest::nodes.
struct TreeWalker {
  std::uint32_t slot, first_slot, tree;
};

/// Takes one record down all trees in turns, so that no tree waits for the loads of another. Loads are single ones:
/// gathers are several times slower on processors with a mitigation of "gather data sampling".
/// @param walkers  [tree] At the roots; changed. @param slots  [tree] Those of leaves, written.
template <NanSide kSide>
void descend(const FlatForest& flat, const float* values, TreeWalker* walkers, std::uint32_t* slots) {
  const FlatNode* const nodes = flat.nodes.data();
  const LinkBits bits = flat.bits;
  for (std::size_t num_walkers = flat.trees.size(), num_left = 0; num_walkers > 0; num_walkers = num_left) {
    for (std::uint32_t step = 0; step < kStepsAtOnce; ++step)
      for (std::size_t i = 0; i < num_walkers; ++i) {
        const FlatNode node = nodes[walkers[i].slot];
        walkers[i].slot = walkers[i].first_slot + next_slot<kSide>(node, bits, values[bits.attribute(node.link)]);
      }
    num_left = 0;
    for (std::size_t i = 0; i < num_walkers; ++i) {  // without branches
      const TreeWalker walker = walkers[i];
      slots[walker.tree] = walker.slot;
      walkers[num_left] = walker;
      const bool is_leaf = walker.first_slot + bits.child(nodes[walker.slot].link) <= walker.slot;
      num_left += is_leaf ? 0 : 1;
    }
  }
}

class TreeParallel : public CpuStrategy {
 public:
  TreeParallel(SharedModel model, int num_threads)
      : model_(std::move(model)), sums_(model_->flat), scratch_(static_cast<std::size_t>(num_threads)) {
    const std::vector<FlatTree>& trees = model_->flat.trees;
    for (std::uint32_t t = 0; t < trees.size(); ++t)
      roots_.push_back({trees[t].first_slot + kRootSlot, trees[t].first_slot, t});
    for (Scratch& each : scratch_) {
      each.walkers.resize(trees.size());
      each.slots.resize(trees.size());
      each.answers.resize(trees.size());
      each.values.resize(model_->forest.attributes.size());
      each.sums.resize(sums_.bytes());
    }
  }

  void evaluate(const RecordView& block, const Found& found, int worker) override {
    const FlatForest& flat = model_->flat;
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    const std::size_t width = found_width(*model_);
    for (std::size_t i = 0; i < block.num_records; ++i) {
      std::ranges::copy(roots_, scratch.walkers.begin());
      find_leaves(values_of_record(block, i, scratch), scratch);
      for (std::size_t t = 0; t < roots_.size(); ++t) scratch.answers[t] = flat.answers[scratch.slots[t]];
      const Found of_record = found.behind(i * width);
      sums_.begin(1, scratch.sums.data());
      sums_.add_all(scratch.answers.data(), scratch.sums.data(), of_record);
      sums_.finish(scratch.sums.data(), 1, of_record);
    }
  }

 private:
  struct Scratch {
    std::vector<TreeWalker> walkers;
    std::vector<std::uint32_t> slots;
    std::vector<std::int32_t> answers;
    std::vector<float> values;
    AlignedVector<std::byte> sums;
  };

  void find_leaves(const float* values, Scratch& scratch) const {
    constexpr decltype(&descend<NanSide::kRight>) kBodies[] = {descend<NanSide::kRight>, descend<NanSide::kLeft>,
                                                               descend<NanSide::kEither>};
    kBodies[static_cast<std::size_t>(model_->flat.nan_side)](model_->flat, values, scratch.walkers.data(),
                                                             scratch.slots.data());
  }

  /// The record's values side by side: in place, or copied.
  static const float* values_of_record(const RecordView& block, std::size_t record, Scratch& scratch) {
    const float* const first = &block.at(record, 0);
    if (block.attribute_step == 1) return first;
    for (std::size_t a = 0; a < scratch.values.size(); ++a) scratch.values[a] = first[a * block.attribute_step];
    return scratch.values.data();
  }

  SharedModel model_;
  AnswerSums sums_;
  std::vector<TreeWalker> roots_;  ///< [tree]
  std::vector<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<RecordEvaluator> make_tree_parallel(const StrategyRequest& request) {
  auto pool = std::make_shared<ThreadPool>(request.threads);
  auto strategy = std::make_unique<TreeParallel>(request.model, pool->num_threads());
  return evaluate_on_cpu(request, std::move(strategy), std::move(pool));
}

}  // namespace fernwood::records
