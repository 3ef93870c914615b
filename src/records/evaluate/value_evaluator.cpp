// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kRecordsAtOnce = 1 << 16;  // whose sums are kept until they are turned into what is predicted
constexpr std::size_t kRecordsPerTask = 1024;

/// Whole-number sums are not what any device is tuned for: by layers and ranks, wherever these can be.
EvaluatorOptions whole_options(const EvaluationModel& model, int threads) {
  const bool is_flat = model.flat_obstacle.empty(), has_ranks = model.rank_unsupported_reason.empty();
  return {.strategy = is_flat ? "layered" : "serial",
          .values = is_flat && has_ranks ? Values::kRanks : Values::kFloat,
          .device = "cpu",
          .threads = threads};
}

}  // namespace

struct ValueEvaluator::State {
  State(const RecordForest& forest_given, const EvaluatorOptions& options_given)
      : forest(forest_given), options(options_given), pool(options.threads) {
    const bool has_floats = forest.float_sums.has_value();
    const SharedModel model =
        make_evaluation_model(forest, has_floats ? RequestedOutput::kValues : RequestedOutput::kSums);
    sums = make_evaluator(model, has_floats ? options : whole_options(*model, options.threads));
  }

  /// Calls body(first record, number of records) for a few at a time, on all threads.
  template <typename Body>
  void for_each_part(std::size_t num_records, const Body& body) {
    const std::size_t num_parts = (num_records + kRecordsPerTask - 1) / kRecordsPerTask;
    const auto run = [&](std::size_t part, int) {
      body(part * kRecordsPerTask, std::min(kRecordsPerTask, num_records - part * kRecordsPerTask));
    };
    if (num_parts == 1)  // waking threads would take longer
      run(0, 0);
    else
      pool.for_each(num_parts, run);
  }

  /// Whole-number sums of some records, handed to take(record, sums).
  template <typename Take>
  void with_whole_sums(const RecordView& records, const Take& take) {
    const std::size_t width = forest.num_outputs();
    for (std::size_t begin = 0; begin < records.num_records; begin += kRecordsAtOnce) {
      const std::size_t count = std::min(kRecordsAtOnce, records.num_records - begin);
      numbers.resize(count * width);
      sums->evaluate(records.part(begin, count), {.numbers = numbers.data()});
      for_each_part(count, [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i) take(begin + i, numbers.data() + i * width);
      });
    }
  }

  const RecordForest forest;
  const EvaluatorOptions options;
  ThreadPool pool;
  std::unique_ptr<RecordEvaluator> sums, leaves;  ///< The latter from when it is first asked for.
  std::vector<std::int32_t> numbers;
  std::vector<double> values;
};

ValueEvaluator::ValueEvaluator(const RecordForest& forest, const EvaluatorOptions& options) {
  const DefaultFloats floats;
  FW_CHECK(options.threads >= 0, Usage, "--threads is " << options.threads << "; give 0 for all, or how many");
  state_ = std::make_unique<State>(forest, options);
}
ValueEvaluator::~ValueEvaluator() = default;

void ValueEvaluator::find_margins(const RecordView& records, double* margins) {
  const DefaultFloats floats;
  State& state = *state_;
  check_attributes(records, state.forest.attributes.size());
  if (state.forest.float_sums) return state.sums->evaluate(records, {.values = margins});
  const std::size_t width = state.forest.num_outputs();
  const double unit = std::ldexp(1.0, -state.forest.fraction_bits);
  state.with_whole_sums(records, [&](std::size_t record, const std::int32_t* sums) {
    for (std::size_t k = 0; k < width; ++k) margins[record * width + k] = sums[k] * unit;
  });
}

void ValueEvaluator::predict(const RecordView& records, double* predicted) {
  const DefaultFloats floats;
  State& state = *state_;
  const RecordForest& forest = state.forest;
  check_attributes(records, forest.attributes.size());
  const std::size_t num_predicted = forest.num_predicted(), width = forest.num_outputs();
  if (!forest.float_sums)
    return state.with_whole_sums(records, [&](std::size_t record, const std::int32_t* sums) {
      std::vector<float> probabilities(num_predicted);
      probabilities_of(forest, sums, probabilities.data());
      std::ranges::copy(probabilities, predicted + record * num_predicted);
    });
  const bool as_they_are = forest.link == Link::kIdentity || forest.link == Link::kMean;
  if (as_they_are) return state.sums->evaluate(records, {.values = predicted});
  for (std::size_t begin = 0; begin < records.num_records; begin += kRecordsAtOnce) {
    const std::size_t count = std::min(kRecordsAtOnce, records.num_records - begin);
    state.values.resize(count * width);
    state.sums->evaluate(records.part(begin, count), {.values = state.values.data()});
    state.for_each_part(count, [&](std::size_t first, std::size_t size) {
      for (std::size_t i = first; i < first + size; ++i)
        predict_from_sums(forest, state.values.data() + i * width, predicted + (begin + i) * num_predicted);
    });
  }
}

void ValueEvaluator::find_leaves(const RecordView& records, std::int32_t* leaves) {
  const DefaultFloats floats;
  State& state = *state_;
  check_attributes(records, state.forest.attributes.size());
  if (!state.leaves)
    state.leaves = make_evaluator(make_evaluation_model(state.forest, RequestedOutput::kLeaves), state.options);
  state.leaves->evaluate(records, {.numbers = leaves});
}

void ValueEvaluator::find_margins_on_device(const RecordView& records, double* margins, void* stream) {
  const DefaultFloats floats;
  FW_CHECK(state_->forest.float_sums, Usage,
           "whole-number sums are found on the CPU; give records in the host's memory");
  state_->sums->evaluate_on_device(records, {.values = margins}, stream);
}

std::string ValueEvaluator::explain() const { return state_->sums->explain(); }

}  // namespace fernwood::records
