// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/evaluator.h"

#include <algorithm>
#include <optional>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
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

void RecordEvaluator::evaluate_on_device(const RecordView&, const Found&, void*) {
  throw Error(ErrorKind::kUsage, "the records lie on a GPU, and the forest is evaluated on the CPU; use " +
                                     named_option("device", "cuda") +
                                     ", or records in the "
                                     "host's memory");
}

RecordForest taken_iterations(const RecordForest& forest, const EvaluatorOptions& options) {
  require_option(options.iterations >= 0, "iterations", options.iterations, "use 0 for all, or how many");
  return options.iterations == 0 ? forest : first_iterations(forest, static_cast<std::size_t>(options.iterations));
}

std::unique_ptr<RecordEvaluator> make_evaluator(const SharedModel& model, const EvaluatorOptions& options) {
  const DefaultFloats floats;
  require_option(options.threads >= 0, "threads", options.threads, "use 0 for all, or how many");
  const StrategyRequest request = {model, options.strategy, options.values, choose_device(options.device).device,
                                   options.threads};
  return options.strategy == "auto" ? make_auto_evaluator(request, options.remember)
                                    : product_strategies().make_evaluator(request);
}

std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options) {
  return make_evaluator(taken_iterations(forest, options), RequestedOutput::kClass, options);
}

std::unique_ptr<RecordEvaluator> make_evaluator(const RecordForest& forest, RequestedOutput wanted,
                                                const EvaluatorOptions& options) {
  if (forest.has_linear_leaves() && wanted != RequestedOutput::kLeaves)
    return make_linear_evaluator(forest, wanted, options);
  return make_evaluator(make_evaluation_model(forest, wanted), options);
}

void decide(const EvaluationModel& model, const RecordView& records, const Found& found) {
  if (model.wanted != RequestedOutput::kClass || !model.forest.float_sums) return;
  std::vector<float> columns(model.forest.attributes.size());
  for (std::size_t i = 0; i < records.num_records; ++i) {
    if (found.numbers[i] != kUndecided) continue;
    read_columns(model.columns, records.part(i, 1), columns.data());
    found.numbers[i] = classify_record(model.forest, columns.data());
  }
}

namespace {

/// Most bytes of columns that a thread reads at once, so that they stay in its cache.
constexpr std::size_t kMaxColumnBytes = std::size_t{1} << 19;
constexpr std::size_t kMinRecords = 64;

class CpuEvaluator : public RecordEvaluator {
 public:
  CpuEvaluator(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy, std::shared_ptr<ThreadPool> pool)
      : request_(request),
        strategy_(std::move(strategy)),
        pool_(std::move(pool)),
        block_size_(strategy_->block_size()) {
    const EvaluationModel& model = *request_.model;
    if (!model.reader) return;
    const std::size_t fitting = kMaxColumnBytes / (model.forest.attributes.size() * sizeof(float));
    block_size_ = std::min(block_size_, std::max(kMinRecords, fitting / kMinRecords * kMinRecords));
    columns_.resize(static_cast<std::size_t>(pool_->num_threads()));
  }

  void evaluate(const RecordView& records, const Found& found) override {
    const DefaultFloats floats;
    check_attributes(records, request_.model->num_attributes);
    const std::size_t num_blocks = (records.num_records + block_size_ - 1) / block_size_;
    const std::size_t width = found_width(*request_.model);
    const auto evaluate_block = [&](std::size_t block, int worker) {
      const std::size_t begin = block * block_size_, count = std::min(block_size_, records.num_records - begin);
      const RecordView block_records = records.part(begin, count);
      strategy_->evaluate(columns_of(block_records, worker), found.behind(begin * width), worker);
      decide(*request_.model, block_records, found.behind(begin * width));
    };
    if (num_blocks == 1 || pool_->num_threads() == 1)  // waking threads would take longer
      for (std::size_t block = 0; block < num_blocks; ++block) evaluate_block(block, 0);
    else
      pool_->for_each(num_blocks, evaluate_block);
  }

  double evaluate_kept(const KeptRecords& records) override {
    check_kept(records, Device{});
    const std::size_t size = records.view.num_records * found_width(*request_.model);
    const bool finds_values = request_.model->wanted == RequestedOutput::kValues;
    kept_numbers_.resize(finds_values ? 0 : size);
    kept_values_.resize(finds_values ? size : 0);
    const double start = seconds_now();
    evaluate(records.view, {kept_numbers_.data(), kept_values_.data()});
    return seconds_now() - start;
  }
  void fetch_kept(const Found& found) override {
    std::ranges::copy(kept_numbers_, found.numbers);
    std::ranges::copy(kept_values_, found.values);
  }

  std::string explain() const override { return "strategy: " + describe_request(request_) + "\n"; }

 private:
  /// Columns of records, as the model's forest tests them.
  RecordView columns_of(const RecordView& block, int worker) {
    const std::optional<ColumnReader>& reader = request_.model->reader;
    if (!reader) return block;
    std::vector<float>& columns = columns_[static_cast<std::size_t>(worker)];
    columns.resize(block_size_ * reader->num_columns());
    reader->read(block, columns.data());
    return records_by_rows(columns.data(), block.num_records, reader->num_columns());
  }

  StrategyRequest request_;
  std::unique_ptr<CpuStrategy> strategy_;
  std::shared_ptr<ThreadPool> pool_;
  std::size_t block_size_;                   ///< Number of records evaluated at once.
  std::vector<std::vector<float>> columns_;  ///< [worker] For models with column rules.
  std::vector<std::int32_t> kept_numbers_;
  std::vector<double> kept_values_;  // one of the two is empty
};

}  // namespace

std::unique_ptr<RecordEvaluator> evaluate_on_cpu(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy,
                                                 std::shared_ptr<ThreadPool> pool) {
  return std::make_unique<CpuEvaluator>(request, std::move(strategy), std::move(pool));
}

}  // namespace fernwood::records
