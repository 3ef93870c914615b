// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kMaxLeavesAtOnce = std::size_t{1} << 22, kMaxRecordsAtOnce = std::size_t{1} << 16;
constexpr std::size_t kRecordsOfTask = 256;

class LinearEvaluator : public RecordEvaluator {
 public:
  LinearEvaluator(const RecordForest& forest, RequestedOutput wanted, const EvaluatorOptions& options)
      : forest_(forest),
        finds_values_(wanted == RequestedOutput::kValues),
        width_(finds_values_ ? forest.num_outputs() : 1),
        leaf_evaluator_(make_evaluator(make_evaluation_model(forest, RequestedOutput::kLeaves), options)),
        device_(choose_device(options.device).device),
        pool_(options.threads) {}

  void evaluate(const RecordView& records, const Found& found) override {
    const DefaultFloats floats;
    check_attributes(records, forest_.attributes.size());
    const std::size_t num_trees = forest_.trees.size();
    const std::size_t at_once = std::clamp<std::size_t>(kMaxLeavesAtOnce / num_trees, 1, kMaxRecordsAtOnce);
    for (std::size_t begin = 0; begin < records.num_records; begin += at_once) {
      const RecordView part = records.part(begin, std::min(at_once, records.num_records - begin));
      leaves_.resize(part.num_records * num_trees);
      leaf_evaluator_->evaluate(part, {.numbers = leaves_.data()});
      add_up(part, found.behind(begin * width_));
    }
  }

  double evaluate_kept(const KeptRecords& records) override {
    check_kept(records, device_);
    FW_CHECK(device_.is_cpu(), Usage,
             "the forest has linear functions in its leaves, which are added up from records in the host's memory; "
             "evaluate these");
    kept_numbers_.resize(finds_values_ ? 0 : records.view.num_records);
    kept_values_.resize(finds_values_ ? records.view.num_records * width_ : 0);
    const double start = seconds_now();
    evaluate(records.view, {kept_numbers_.data(), kept_values_.data()});
    return seconds_now() - start;
  }
  void fetch_kept(const Found& found) override {
    std::ranges::copy(kept_numbers_, found.numbers);
    std::ranges::copy(kept_values_, found.values);
  }

  void evaluate_on_device(const RecordView&, const Found&, void*) override {
    throw Error(
        ErrorKind::kUsage,
        "the records lie on a GPU, and the forest has linear functions in its leaves, which are added up on the "
        "CPU; pass records in the host's memory");
  }

  std::string explain() const override { return leaf_evaluator_->explain(); }

 private:
  /// Adds the values of leaves_ at the records.
  void add_up(const RecordView& part, const Found& found) {
    const std::size_t num_tasks = (part.num_records + kRecordsOfTask - 1) / kRecordsOfTask;
    const auto run = [&](std::size_t task, int) {
      const std::size_t begin = task * kRecordsOfTask, end = std::min(begin + kRecordsOfTask, part.num_records);
      std::vector<double> sums(forest_.num_outputs()), predicted(forest_.num_predicted());
      for (std::size_t i = begin; i < end; ++i) {
        double* const out = finds_values_ ? found.values + i * width_ : sums.data();
        const std::int32_t* const leaves = leaves_.data() + i * forest_.trees.size();
        if (part.exact)
          sum_leaves(forest_, leaves, part.exact + static_cast<std::ptrdiff_t>(i) * part.exact_record_step,
                     part.exact_attribute_step, out);
        else
          sum_leaves(forest_, leaves, &part.at(i, 0), static_cast<std::ptrdiff_t>(part.attribute_step), out);
        if (finds_values_) continue;
        found.numbers[i] = class_from_sums(forest_, out, predicted.data());
      }
    };
    if (num_tasks == 1)  // waking threads would take longer
      run(0, 0);
    else
      pool_.for_each(num_tasks, run);
  }

  const RecordForest forest_;
  const bool finds_values_;
  const std::size_t width_;
  std::unique_ptr<RecordEvaluator> leaf_evaluator_;
  Device device_;
  ThreadPool pool_;
  std::vector<std::int32_t> leaves_;  ///< [record][tree] Leaves of some of the records.
  std::vector<std::int32_t> kept_numbers_;
  std::vector<double> kept_values_;  // one of the two is empty
};

}  // namespace

std::unique_ptr<RecordEvaluator> make_linear_evaluator(const RecordForest& forest, RequestedOutput wanted,
                                                       const EvaluatorOptions& options) {
  FW_CHECK(wanted == RequestedOutput::kValues || forest.has_classes(), Usage,
           "the forest predicts values and has no classes; ask for its values");
  return std::make_unique<LinearEvaluator>(forest, wanted, options);
}

}  // namespace fernwood::records
