// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "core/machine.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kRecordsAtOnce = 1 << 16;  // their sums are held until they are converted to predictions
constexpr std::size_t kRecordsPerTask = 1024;

/// Devices are not tuned for whole-number sums: these use layers and ranks wherever possible.
EvaluatorOptions whole_options(const EvaluationModel& model, int threads) {
  const bool is_flat = model.flat_unsupported.empty(), has_ranks = model.ranks_unsupported.empty();
  return {.strategy = is_flat ? "layered" : "serial",
          .values = is_flat && has_ranks ? Values::kRanks : Values::kFloat,
          .device = "cpu",
          .threads = threads};
}

}  // namespace

struct ValueEvaluator::State {
  State(RecordForest&& forest_given, const EvaluatorOptions& options_given)
      : forest(std::move(forest_given)), options(options_given), pool(options.threads) {
    if (forest.float_sums) {
      sums = make_evaluator(forest, RequestedOutput::kValues, options);
      return;
    }
    const SharedModel model = make_evaluation_model(forest, RequestedOutput::kSums);
    sums = make_evaluator(model, whole_options(*model, options.threads));
  }

  /// Calls body(first record, number of records) for parts of the records, on all threads.
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

  /// Computes whole-number sums of parts of the records, and calls take(record, sums) for each record.
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

  /// Whether margins are the predictions without a link function.
  bool sums_are_predicted() const {
    return forest.float_sums && (forest.link == Link::kIdentity || forest.link == Link::kMean);
  }

  /// predict_from_sums() for many records.
  void predict_from(const double* margins, std::size_t num_records, double* predicted) {
    const std::size_t width = forest.num_outputs(), num_predicted = forest.num_predicted();
    for_each_part(num_records, [&](std::size_t first, std::size_t size) {
      for (std::size_t i = first; i < first + size; ++i)
        predict_from_sums(forest, margins + i * width, predicted + i * num_predicted);
    });
  }

  /// The index of the leaf in each tree. @param found  [record][tree], written.
  void find_leaf_indices(const RecordView& records, std::int32_t* found) {
    if (!leaves) leaves = make_evaluator(make_evaluation_model(forest, RequestedOutput::kLeaves), options);
    leaves->evaluate(records, {.numbers = found});
  }

  const RecordForest forest;
  const EvaluatorOptions options;
  ThreadPool pool;
  std::unique_ptr<RecordEvaluator> sums, leaves;  ///< `leaves` is created on first use.
  std::vector<std::int32_t> numbers;
  std::vector<double> values;
};

ValueEvaluator::ValueEvaluator(const RecordForest& forest, const EvaluatorOptions& options) {
  const DefaultFloats floats;
  require_option(options.threads >= 0, "threads", options.threads, "use 0 for all, or how many");
  state_ = std::make_unique<State>(taken_iterations(forest, options), options);
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
  if (state.sums_are_predicted()) return state.sums->evaluate(records, {.values = predicted});
  for (std::size_t begin = 0; begin < records.num_records; begin += kRecordsAtOnce) {
    const std::size_t count = std::min(kRecordsAtOnce, records.num_records - begin);
    state.values.resize(count * width);
    state.sums->evaluate(records.part(begin, count), {.values = state.values.data()});
    state.predict_from(state.values.data(), count, predicted + begin * num_predicted);
  }
}

void ValueEvaluator::find_leaves(const RecordView& records, std::int32_t* leaves) {
  const DefaultFloats floats;
  State& state = *state_;
  check_attributes(records, state.forest.attributes.size());
  state.find_leaf_indices(records, leaves);
  const std::vector<RecordTree>& trees = state.forest.trees;
  if (trees.empty() || trees[0].leaf_numbers.empty()) return;
  state.for_each_part(records.num_records, [&](std::size_t first, std::size_t size) {
    std::int32_t* leaf = leaves + first * trees.size();
    for (std::size_t i = 0; i < size; ++i)
      for (const RecordTree& tree : trees) {
        *leaf = tree.leaf_numbers[static_cast<std::size_t>(*leaf)];
        ++leaf;
      }
  });
}

void ValueEvaluator::find_tree_values(const RecordView& records, double* values) {
  const DefaultFloats floats;
  State& state = *state_;
  check_attributes(records, state.forest.attributes.size());
  FW_CHECK(!state.forest.has_linear_leaves(), Usage,
           "the forest has linear functions in its leaves, whose answers of single trees are not found; ask for the "
           "margins of the first iterations");
  const std::vector<RecordTree>& trees = state.forest.trees;
  const std::size_t width = tree_width();
  const double unit = std::ldexp(1.0, -state.forest.fraction_bits);
  for (std::size_t begin = 0; begin < records.num_records; begin += kRecordsAtOnce) {
    const std::size_t count = std::min(kRecordsAtOnce, records.num_records - begin);
    state.numbers.resize(count * trees.size());
    state.find_leaf_indices(records.part(begin, count), state.numbers.data());
    state.for_each_part(count, [&](std::size_t first, std::size_t size) {
      const std::int32_t* leaf = state.numbers.data() + first * trees.size();
      double* out = values + (begin + first) * trees.size() * width;
      for (std::size_t i = 0; i < size; ++i)
        for (const RecordTree& tree : trees) {
          const auto row = static_cast<std::size_t>(*leaf++);
          for (std::size_t k = 0; k < width; ++k)
            *out++ = state.forest.float_sums ? tree.float_values(row, k) : tree.leaf_values(row, k) * unit;
        }
    });
  }
}

std::size_t ValueEvaluator::num_trees() const { return state_->forest.trees.size(); }

std::size_t ValueEvaluator::tree_width() const {
  const std::vector<RecordTree>& trees = state_->forest.trees;
  for (std::size_t t = 1; t < trees.size(); ++t)
    FW_CHECK(trees[t].width() == trees[0].width(), Usage,
             "tree 0 of the model adds to " << trees[0].width() << " outputs and tree " << t << " to "
                                            << trees[t].width() << "; answers of single trees need trees alike");
  return trees.empty() ? 1 : trees[0].width();
}

void ValueEvaluator::find_margins_on_device(const RecordView& records, double* margins, void* stream) {
  const DefaultFloats floats;
  FW_CHECK(state_->forest.float_sums, Usage, "integer sums are found on the CPU; pass records in the host's memory");
  state_->sums->evaluate_on_device(records, {.values = margins}, stream);
}

void ValueEvaluator::predict_on_device(const RecordView& records, double* predicted, void* stream) {
  const DefaultFloats floats;
  State& state = *state_;
  if (state.sums_are_predicted()) return find_margins_on_device(records, predicted, stream);
  check_attributes(records, state.forest.attributes.size());
  if (records.num_records == 0) return;
  const Device device = choose_device(state.options.device).device;
  FW_CHECK(!device.is_cpu(), Usage,
           "the records lie on a GPU, and " << named_option("device") << " is cpu; use the GPU that they lie on");
  std::vector<double> found(records.num_records * state.forest.num_predicted());
  if (state.forest.float_sums) {
    std::vector<double> margins(records.num_records * state.forest.num_outputs());
    const std::size_t size_bytes = margins.size() * sizeof(double);
    const DeviceMemory there(device, size_bytes);
    find_margins_on_device(records, static_cast<double*>(there.data()), stream);
    wait_for_gpu_stream(stream);
    there.read(margins.data(), size_bytes);
    state.predict_from(margins.data(), records.num_records, found.data());
  } else {
    wait_for_gpu_stream(stream);
    std::vector<float> values((records.num_records - 1) * records.record_step +
                              (records.num_attributes - 1) * records.attribute_step + 1);
    copy_and_wait(device.gpu, records.data, values.data(), values.size() * sizeof(float));
    RecordView here = records;
    here.data = values.data();
    predict(here, found.data());
  }
  copy_and_wait(device.gpu, found.data(), predicted, found.size() * sizeof(double));
}

std::string ValueEvaluator::explain() const { return state_->sums->explain(); }

}  // namespace fernwood::records
