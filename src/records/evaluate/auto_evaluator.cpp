// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/auto_evaluator.h"

#include <algorithm>
#include <map>

#include "fernwood/records/tuner.h"
#include "records/evaluate/choice_memory.h"
#include "records/evaluate/tune_model.h"

namespace fernwood::records {

namespace {

class AutoEvaluator : public RecordEvaluator {
 public:
  AutoEvaluator(const StrategyRequest& request, bool remember)
      : request_(request), remember_(remember), fallback_(evaluator_of("serial", Values::kFloat, Device{})) {}

  void classify(const RecordView& records, std::int32_t* classes) override {
    if (records.num_records == 0) return;
    check_attributes(records, request_.model->forest.attributes.size());
    find_evaluator(records.num_records, [&] {
      return keep_records(request_.device, records.part(0, std::min(records.num_records, kMostTuningRecords)));
    }).classify(records, classes);
  }
  double classify_kept(const KeptRecords& records) override {
    check_attributes(records.view, request_.model->forest.attributes.size());
    keeper_ = records.view.num_records == 0 ? fallback_.get()
                                            : &find_evaluator(records.view.num_records, [&] { return records; });
    return keeper_->classify_kept(records);
  }
  void kept_classes(std::int32_t* classes) override { keeper_->kept_classes(classes); }

  std::string explain() const override {
    return by_class_.empty() ? "auto: chosen when the first records come\n" : tuning_table(report_);
  }

 private:
  std::unique_ptr<RecordEvaluator> evaluator_of(const std::string& strategy, Values values, Device device) const {
    StrategyRequest request = request_;
    request.strategy = strategy;
    request.values = values;
    request.device = device;
    return make_evaluator(request);
  }

  /// @param keep_sample  keep_sample() are records on the device to tune on.
  template <typename KeepSample>
  RecordEvaluator& find_evaluator(std::size_t num_records, const KeepSample& keep_sample) {
    std::unique_ptr<RecordEvaluator>& evaluator = by_class_[batch_class(num_records)];
    if (evaluator) return *evaluator;
    const std::string key = remember_ ? choice_key(request_, batch_class(num_records)) : "";
    report_ = TuningReport{};
    if (!remember_ || !recall_choice(key, request_, report_)) {
      report_ = tune_model(request_, keep_sample(), kTuningBudgetSeconds);
      if (remember_) remember_choice(key, report_);
    }
    evaluator = evaluator_of(report_.strategy, report_.values, report_.device);
    return *evaluator;
  }

  StrategyRequest request_;
  bool remember_;
  std::unique_ptr<RecordEvaluator> fallback_;
  std::map<int, std::unique_ptr<RecordEvaluator>> by_class_;
  RecordEvaluator* keeper_ = nullptr;
  TuningReport report_;
};

}  // namespace

std::unique_ptr<RecordEvaluator> make_auto_evaluator(const StrategyRequest& request, bool remember) {
  return std::make_unique<AutoEvaluator>(request, remember);
}

}  // namespace fernwood::records
