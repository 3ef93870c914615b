// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/serial.h"

#include <algorithm>

namespace fernwood::records {

namespace {

class Serial : public CpuStrategy {
 public:
  explicit Serial(SharedModel model) : model_(std::move(model)) {
    const RecordForest& forest = model_->forest;
    if (forest.trees.size() != 1) return;
    for (std::size_t leaf = 0; leaf < forest.trees[0].num_leaves(); ++leaf) {
      std::vector<std::int32_t> sums = forest.base;
      add_leaf(forest.trees[0], leaf, sums.data());
      class_of_leaf_.push_back(choose_class(forest.link, sums.data(), sums.size()));
    }
  }

  void classify(const RecordView& block, std::int32_t* classes, int) override {
    const RecordForest& forest = model_->forest;
    std::vector<std::int32_t> sums(forest.num_outputs());
    for (std::size_t i = 0; i < block.num_records; ++i) {
      const auto leaf_in = [&](const RecordTree& tree) {
        return static_cast<std::size_t>(
            find_leaf_of(tree.nodes, [&](std::uint16_t attribute) { return block.at(i, attribute); }));
      };
      if (!class_of_leaf_.empty()) {
        classes[i] = class_of_leaf_[leaf_in(forest.trees[0])];
        continue;
      }
      std::ranges::copy(forest.base, sums.begin());
      for (const RecordTree& tree : forest.trees) add_leaf(tree, leaf_in(tree), sums.data());
      classes[i] = choose_class(forest.link, sums.data(), sums.size());
    }
  }

 private:
  SharedModel model_;
  std::vector<std::int32_t> class_of_leaf_;  // of a forest of one tree
};

}  // namespace

std::unique_ptr<RecordEvaluator> make_serial(const StrategyRequest& request) {
  return evaluate_on_cpu(request, std::make_unique<Serial>(request.model),
                         std::make_shared<ThreadPool>(request.threads));
}

}  // namespace fernwood::records
