// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <limits>

#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {

class Serial : public CpuStrategy {
 public:
  explicit Serial(SharedModel model) : model_(std::move(model)) {
    const RecordForest& forest = model_->forest;
    if (forest.trees.size() != 1 || model_->wanted != RequestedOutput::kClass) return;
    for (std::size_t leaf = 0; leaf < forest.trees[0].num_leaves(); ++leaf)
      class_of_leaf_.push_back(class_of_leaf(forest, forest.trees[0], leaf));
  }

  void evaluate(const RecordView& block, const Found& found, int) override {
    switch (model_->wanted) {
      case RequestedOutput::kClass:
        return classify(block, found.numbers);
      case RequestedOutput::kLeaves:
        return find_leaves(block, found.numbers);
      case RequestedOutput::kSums:
      case RequestedOutput::kValues:
        return sum(block, found);
    }
  }

 private:
  static std::size_t leaf_in(const RecordTree& tree, const RecordView& block, std::size_t record) {
    return static_cast<std::size_t>(
        find_leaf_of(tree.nodes, [&](std::uint16_t attribute) { return block.at(record, attribute); }));
  }

  void classify(const RecordView& block, std::int32_t* classes) const {
    const RecordForest& forest = model_->forest;
    std::vector<std::int32_t> sums(forest.num_outputs());
    for (std::size_t i = 0; i < block.num_records; ++i) {
      if (!class_of_leaf_.empty()) {
        classes[i] = class_of_leaf_[leaf_in(forest.trees[0], block, i)];
        continue;
      }
      std::ranges::copy(forest.base, sums.begin());
      for (const RecordTree& tree : forest.trees) add_leaf(tree, leaf_in(tree, block, i), sums.data());
      classes[i] = choose_class_surely(forest.link, sums.data(), sums.size(), margin_);
    }
  }

  void find_leaves(const RecordView& block, std::int32_t* leaves) const {
    for (std::size_t i = 0; i < block.num_records; ++i)
      for (const RecordTree& tree : model_->forest.trees)
        *leaves++ = static_cast<std::int32_t>(leaf_in(tree, block, i));
  }

  void sum(const RecordView& block, const Found& found) const {
    const RecordForest& forest = model_->forest;
    std::vector<float> record(block.num_attributes);
    for (std::size_t i = 0; i < block.num_records; ++i) {
      for (std::size_t a = 0; a < record.size(); ++a) record[a] = block.at(i, a);
      if (model_->wanted == RequestedOutput::kValues)
        sum_values(forest, record.data(), found.values + i * forest.num_outputs());
      else
        sum_trees(forest, record.data(), found.numbers + i * forest.num_outputs());
    }
  }

  SharedModel model_;
  std::uint32_t margin_ = deciding_margin(model_->forest);
  std::vector<std::int32_t> class_of_leaf_;  // for a forest of one tree
};

}  // namespace

std::unique_ptr<RecordEvaluator> make_serial(const StrategyRequest& request) {
  return evaluate_on_cpu(request, std::make_unique<Serial>(request.model),
                         std::make_shared<ThreadPool>(request.threads));
}

namespace {

class Interval : public CpuStrategy {
 public:
  explicit Interval(SharedModel model) : model_(std::move(model)), classes_(classes_of_intervals(*model_)) {}

  std::size_t block_size() const override { return 16384; }
  void evaluate(const RecordView& block, const Found& found, int) override {
    const IntervalView intervals = {model_->ranks.view(), view_of(classes_)};
    const std::uint32_t attribute = model_->ranks.attributes[0].attribute;
    for (std::size_t i = 0; i < block.num_records; ++i)
      found.numbers[i] = class_of_value(intervals, block.at(i, attribute));
  }

 private:
  SharedModel model_;
  const std::vector<std::int32_t> classes_;
};

}  // namespace

std::vector<std::int32_t> classes_of_intervals(const EvaluationModel& model) {
  const RankedAttribute& attribute = model.ranks.attributes[0];
  std::vector<float> record(model.forest.attributes.size(), 0.0f);
  std::vector<std::int32_t> classes;
  for (std::uint32_t interval = 0; interval <= attribute.count + 1; ++interval) {
    // A value with that rank: the threshold at the upper end of the interval, since values up to it go left.
    record[attribute.attribute] = interval < attribute.count    ? model.ranks.thresholds[interval]
                                  : interval == attribute.count ? std::numeric_limits<float>::infinity()
                                                                : not_a_number();
    classes.push_back(classify_record(model.forest, record.data()));
  }
  return classes;
}

OptionSentence interval_unsupported(const EvaluationModel& model, Values, Device) {
  if (const OptionSentence reason = classes_only_unsupported(model); !reason.empty()) return reason;
  if (!model.ranks_unsupported.empty()) return model.ranks_unsupported;
  if (model.ranks.attributes.size() == 1) return "";
  return "it is for forests that ask one attribute, and this one asks " + std::to_string(model.ranks.attributes.size());
}

std::unique_ptr<RecordEvaluator> make_interval(const StrategyRequest& request) {
  return evaluate_on_cpu(request, std::make_unique<Interval>(request.model),
                         std::make_shared<ThreadPool>(request.threads));
}

}  // namespace fernwood::records
