// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/auto_evaluator.h"

#include <map>

#include "fernwood/records/tuner.h"
#include "records/choice_memory.h"
#include "records/tune_model.h"

namespace fernwood {

namespace {

class AutoEvaluator : public RecordEvaluator {
 public:
  AutoEvaluator(const StrategyRequest& request, bool remember)
      : request_(request), remember_(remember), fallback_(evaluator_of("serial", Values::kFloat, Device{})) {}

  void classify(const RecordView& records, std::int32_t* classes) override {
    if (records.num_records == 0) return;
    evaluator_for(records).classify(records, classes);
  }
  void keep(const RecordView& records) override {
    keeper_ = records.num_records == 0 ? fallback_.get() : &evaluator_for(records);
    keeper_->keep(records);
  }
  double classify_kept() override { return keeper_->classify_kept(); }
  void kept_classes(std::int32_t* classes) override { keeper_->kept_classes(classes); }

  std::string explain() const override {
    return by_class_.empty() ? "auto: chosen when the first records come\n" : tuning_table(report_);
  }
  std::shared_ptr<void> host_memory(std::size_t size_bytes) override {
    if (request_.device.is_cpu()) return fallback_->host_memory(size_bytes);
    if (!on_device_) on_device_ = evaluator_of(any_on_device(), Values::kFloat, request_.device);
    return on_device_->host_memory(size_bytes);
  }

 private:
  std::unique_ptr<RecordEvaluator> evaluator_of(const std::string& strategy, Values values, Device device) const {
    StrategyRequest request = request_;
    request.strategy = strategy;
    request.values = values;
    request.device = device;
    return make_evaluator(request);
  }

  std::string any_on_device() const {
    for (const Strategy& strategy : strategy_table())
      if (!strategy.info.compiles && obstacle_of(strategy, *request_.model, Values::kFloat, request_.device).empty())
        return strategy.info.name;
    return "serial";
  }

  RecordEvaluator& evaluator_for(const RecordView& records) {
    check_attributes(records, request_.model->forest.attributes.size());
    std::unique_ptr<RecordEvaluator>& evaluator = by_class_[batch_class(records.num_records)];
    if (evaluator) return *evaluator;
    const std::string key = remember_ ? choice_key(request_, batch_class(records.num_records)) : "";
    report_ = TuningReport{};
    if (!remember_ || !recall_choice(key, request_, report_)) {
      report_ = tune_model(request_, records, kTuningBudgetSeconds);
      if (remember_) remember_choice(key, report_);
    }
    evaluator = evaluator_of(report_.strategy, report_.values, report_.device);
    return *evaluator;
  }

  StrategyRequest request_;
  bool remember_;
  std::unique_ptr<RecordEvaluator> fallback_, on_device_;
  std::map<int, std::unique_ptr<RecordEvaluator>> by_class_;
  RecordEvaluator* keeper_ = nullptr;
  TuningReport report_;
};

}  // namespace

std::unique_ptr<RecordEvaluator> make_auto_evaluator(const StrategyRequest& request, bool remember) {
  return std::make_unique<AutoEvaluator>(request, remember);
}

}  // namespace fernwood
