// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/strategy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/choices.h"
#include "core/machine.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/text.h"
#include "fernwood/records/evaluator.h"

namespace fernwood::records {

namespace {

std::string checksum_of(const RecordForest& forest) {
  std::string sums = to_string(forest.link) + std::to_string(forest.num_outputs()) + " " +
                     std::to_string(forest.classes.size()) + " " + std::to_string(forest.attributes.size());
  for (const RecordTree& tree : forest.trees) {
    sums += to_hex(checksum(tree.nodes.data(), tree.nodes.size() * sizeof(RecordNode)));
    sums += to_hex(checksum(tree.leaf_values.data(), tree.leaf_values.size() * sizeof(std::int32_t)));
    sums += to_hex(checksum(tree.float_values.data(), tree.float_values.size() * sizeof(double)));
  }
  return to_hex(checksum(sums.data(), sums.size()));
}

/// Key of a choice: the forest, the requested output, the device's name, the number of threads, the class of batch and
/// the version of fernwood.
std::string choice_key(const StrategyRequest& request, int batch_class) {
  return checksum_of(request.model->forest) + "|" + std::to_string(static_cast<int>(request.model->wanted)) + "|" +
         device_name(request.device) + "|" + std::to_string(ThreadPool(request.threads).num_threads()) + "|" +
         std::to_string(batch_class) + "|" + build_info().version;
}

}  // namespace

bool recall_choice(std::string_view remembered, const std::string& key, const StrategyRequest& request,
                   TuningReport& report) {
  const std::optional<TunedChoice> choice = find_choice(remembered, key);
  if (!choice || !choice->contains("strategy") || !choice->contains("values")) return false;
  const std::string &name = choice->at("strategy"), &values = choice->at("values");
  for (const Strategy& strategy : product_strategies().rows())
    for (const Values each : kValues)
      if (strategy.name == name && to_string(each) == values &&
          why_unsupported(strategy, *request.model, each, request.device).empty()) {
        report.strategy = name;
        report.values = each;
        report.device = request.device;
        report.remembered = true;
        return true;
      }
  return false;
}

namespace {

/// The numbers of records of a batch_class(), in words.
std::string sizes_of_class(int batch) {
  if (batch == 0) return "single records";
  const std::size_t least = std::size_t{1} << (2 * batch - 1);
  return "batches of " + std::to_string(least) + " to " + std::to_string(4 * least - 1) + " records";
}

class AutoEvaluator : public RecordEvaluator {
 public:
  AutoEvaluator(const StrategyRequest& request, bool remember)
      : request_(request),
        remember_(remember),
        of_one_(evaluator_of(request.model->flat_unsupported.empty() ? "tree-parallel" : "serial", Values::kFloat,
                             Device{})) {}

  void evaluate(const RecordView& records, const Found& found) override {
    if (records.num_records == 0) return;
    check_attributes(records, request_.model->num_attributes);
    if (records.num_records == 1 && request_.device.is_cpu()) {
      has_answered_one_ = true;
      return of_one_->evaluate(records, found);
    }
    find_evaluator(records.num_records, [&] {
      return keep_records(request_.device, records.part(0, std::min(records.num_records, kMaxTuningRecords)));
    }).evaluate(records, found);
  }
  double evaluate_kept(const KeptRecords& records) override {
    check_attributes(records.view, request_.model->num_attributes);
    keeper_ = records.view.num_records == 0 ? of_one_.get()
                                            : &find_evaluator(records.view.num_records, [&] { return records; });
    return keeper_->evaluate_kept(records);
  }
  void evaluate_on_device(const RecordView& records, const Found& found, void* stream) override {
    if (records.num_records == 0) return;
    check_attributes(records, request_.model->num_attributes);
    find_evaluator(records.num_records, [&] {
      return KeptRecords{request_.device, records, nullptr};
    }).evaluate_on_device(records, found, stream);
  }
  void fetch_kept(const Found& found) override { keeper_->fetch_kept(found); }

  std::string explain() const override {
    std::string text = has_answered_one_ ? "single records:\n" + of_one_->explain() : "";
    if (reports_.empty()) return has_answered_one_ ? text : "auto: chosen when the first records come\n";
    if (reports_.size() == 1 && !has_answered_one_) return tuning_table(reports_.begin()->second);
    for (const auto& [batch, report] : reports_)
      text += (text.empty() ? "" : "\n") + sizes_of_class(batch) + ":\n" + tuning_table(report);
    return text;
  }

 private:
  std::unique_ptr<RecordEvaluator> evaluator_of(const std::string& strategy, Values values, Device device) const {
    StrategyRequest request = request_;
    request.strategy = strategy;
    request.values = values;
    request.device = device;
    return product_strategies().make_evaluator(request);
  }

  /// @param keep_sample  keep_sample() returns the records to tune on, on the device.
  template <typename KeepSample>
  RecordEvaluator& find_evaluator(std::size_t num_records, const KeepSample& keep_sample) {
    std::unique_ptr<RecordEvaluator>& evaluator = by_class_[batch_class(num_records)];
    if (evaluator) return *evaluator;
    const std::string key = remember_ ? choice_key(request_, batch_class(num_records)) : "";
    TuningReport report;
    if (!remember_ || !recall_choice(read_choices(), key, request_, report)) {
      report = tune_model(request_, keep_sample(), kTuningBudgetSeconds);
      if (remember_) remember_choice(key, {{"strategy", report.strategy}, {"values", to_string(report.values)}});
    }
    evaluator = evaluator_of(report.strategy, report.values, report.device);
    reports_[batch_class(num_records)] = std::move(report);
    return *evaluator;
  }

  StrategyRequest request_;
  bool remember_;
  std::unique_ptr<RecordEvaluator> of_one_;  ///< For a single record, or none.
  bool has_answered_one_ = false;
  std::map<int, std::unique_ptr<RecordEvaluator>> by_class_;
  RecordEvaluator* keeper_ = nullptr;
  std::map<int, TuningReport> reports_;
};

}  // namespace

std::unique_ptr<RecordEvaluator> make_auto_evaluator(const StrategyRequest& request, bool remember) {
  return std::make_unique<AutoEvaluator>(request, remember);
}

}  // namespace fernwood::records
