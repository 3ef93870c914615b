// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/evaluator.h"

#include <algorithm>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

KeptRecords keep_records(Device device, const RecordView& records) {
  return device.is_cpu() ? KeptRecords{device, records, nullptr} : keep_on_gpu(device, records);
}

void check_kept(const KeptRecords& records, Device device) {
  FW_CHECK(records.device == device, Usage,
           "the records are kept on " << to_string(records.device) << ", and the evaluator works on "
                                      << to_string(device) << "; keep them there");
}

std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options) {
  const DefaultFloats floats;
  FW_CHECK(options.threads >= 0, Usage, "--threads is " << options.threads << "; give 0 for all, or how many");
  const StrategyRequest request = {make_evaluation_model(forest), options.strategy, options.values,
                                   choose_device(options.device).device, options.threads};
  return options.strategy == "auto" ? make_auto_evaluator(request, options.remember)
                                    : product_strategies().make_evaluator(request);
}

namespace {

class CpuEvaluator : public RecordEvaluator {
 public:
  CpuEvaluator(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy, std::shared_ptr<ThreadPool> pool)
      : request_(request), strategy_(std::move(strategy)), pool_(std::move(pool)) {}

  void classify(const RecordView& records, std::int32_t* classes) override {
    const DefaultFloats floats;
    check_attributes(records, request_.model->forest.attributes.size());
    const std::size_t block_size = strategy_->block_size();
    const std::size_t num_blocks = (records.num_records + block_size - 1) / block_size;
    const auto classify_block = [&](std::size_t block, int worker) {
      const std::size_t begin = block * block_size, count = std::min(block_size, records.num_records - begin);
      strategy_->classify(records.part(begin, count), classes + begin, worker);
    };
    if (num_blocks == 1 || pool_->num_threads() == 1)  // waking threads would take longer
      for (std::size_t block = 0; block < num_blocks; ++block) classify_block(block, 0);
    else
      pool_->for_each(num_blocks, classify_block);
  }

  double classify_kept(const KeptRecords& records) override {
    check_kept(records, Device{});
    kept_classes_.resize(records.view.num_records);
    const double start = seconds_now();
    classify(records.view, kept_classes_.data());
    return seconds_now() - start;
  }
  void kept_classes(std::int32_t* classes) override { std::ranges::copy(kept_classes_, classes); }

  std::string explain() const override { return "strategy: " + describe_request(request_) + "\n"; }

 private:
  StrategyRequest request_;
  std::unique_ptr<CpuStrategy> strategy_;
  std::shared_ptr<ThreadPool> pool_;
  std::vector<std::int32_t> kept_classes_;
};

}  // namespace

std::unique_ptr<RecordEvaluator> evaluate_on_cpu(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy,
                                                 std::shared_ptr<ThreadPool> pool) {
  return std::make_unique<CpuEvaluator>(request, std::move(strategy), std::move(pool));
}

}  // namespace fernwood::records
