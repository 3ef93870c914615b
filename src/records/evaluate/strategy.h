// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// What a strategy is made for.
struct StrategyRequest {
  SharedModel model;
  std::string strategy;
  Values values = Values::kFloat;
  Device device;
  int threads = 0;
};

/// "packed, ranks, on cuda:0"
std::string describe_request(const StrategyRequest& request);

/// A way to evaluate forests: a row of a StrategyTable.
struct Strategy {
  std::string name;
  bool on_gpu;     ///< Else on the CPU.
  bool has_ranks;  ///< Can hold values as ranks.
  /// Why it cannot evaluate this model, as the rest of a sentence; empty when it can. Asked only for values that it can
  /// hold, and where the model has its flat form. Null: it evaluates the forest itself, whatever forms the model has.
  OptionSentence (*unsupported_reason)(const EvaluationModel& model, Values values, Device device);
  std::unique_ptr<RecordEvaluator> (*make)(const StrategyRequest& request);
};

/// The strategies that there are to choose from, by name.
class StrategyTable {
 public:
  explicit StrategyTable(std::vector<Strategy> rows) : rows_(std::move(rows)) {}

  const std::vector<Strategy>& rows() const { return rows_; }
  /// @throws Error(kUsage) naming what there is.
  const Strategy& find(const std::string& name) const;
  /// @throws Error(kUsage) with the unsupported_reason.
  std::unique_ptr<RecordEvaluator> make_evaluator(const StrategyRequest& request) const;

 private:
  std::vector<Strategy> rows_;
};

/// Strategies of which each is the fastest for some forests, those of the CPU first, then, if this build has CUDA,
/// those of GPUs. What is kept to be measured against is in the laboratory's table, lab/records/strategies.h.
const StrategyTable& product_strategies();
/// The rows of GPUs; none in a build without CUDA.
std::vector<Strategy> gpu_strategies();

/// The first iterations of a forest that options say. @throws Error(kUsage) as first_iterations().
RecordForest taken_iterations(const RecordForest& forest, const EvaluatorOptions& options);

/// make_record_evaluator() of a model that is there already.
std::unique_ptr<RecordEvaluator> make_evaluator(const SharedModel& model, const EvaluatorOptions& options);
/// Of a forest that may have linear leaves.
std::unique_ptr<RecordEvaluator> make_evaluator(const RecordForest& forest, RequestedOutput wanted,
                                                const EvaluatorOptions& options);

/// Classes or floating-point sums of a forest with linear leaves: strategies find the leaves, on any device, and the
/// host adds up what these are of the records' own values.
std::unique_ptr<RecordEvaluator> make_linear_evaluator(const RecordForest& forest, RequestedOutput wanted,
                                                       const EvaluatorOptions& options);

/// Why a strategy cannot evaluate a model here, as a sentence; empty when it can.
OptionSentence why_unsupported(const Strategy& strategy, const EvaluationModel& model, Values values, Device device);

/// Why a strategy that finds nothing but classes cannot do what is asked, as the rest of a sentence; empty when it can.
OptionSentence classes_only_unsupported(const EvaluationModel& model);

/// Finds the classes that strategies have left open, by the library's own sums.
/// @param records  In the host's memory. @param found  Classes of theirs, of which kUndecided are replaced.
void decide(const EvaluationModel& model, const RecordView& records, const Found& found);

/// A strategy of the CPU: what is wanted of one block of records, by one thread.
class CpuStrategy {
 public:
  virtual ~CpuStrategy() = default;
  /// Records that it likes to get at once.
  virtual std::size_t block_size() const { return 1024; }
  /// @param found  Of the block, written.
  /// @param worker  Below the number of threads: index of scratch memory.
  virtual void evaluate(const RecordView& block, const Found& found, int worker) = 0;
};

/// Runs a strategy of the CPU over blocks, on threads.
std::unique_ptr<RecordEvaluator> evaluate_on_cpu(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy,
                                                 std::shared_ptr<ThreadPool> pool);

/// @throws Error(kData) when records are of another kind than the model's.
void check_attributes(const RecordView& records, std::size_t num_attributes);

/// @throws Error(kUsage) when records are kept elsewhere.
void check_kept(const KeptRecords& records, Device device);
/// keep_records() of a GPU.
KeptRecords keep_on_gpu(Device device, const RecordView& records);

/// Tunes on the first records of each class of batch, then evaluates by what was found.
/// @param remember  Choices come from and go to the memory of choices.
std::unique_ptr<RecordEvaluator> make_auto_evaluator(const StrategyRequest& request, bool remember);

/// One way to evaluate a forest, as the tuner found it.
struct TimedStrategy {
  std::string strategy;
  Values values = Values::kFloat;
  double ns_per_record = 0;  ///< Best of its runs; 0: not timed.
  std::string left_out;      ///< Why it was not timed; empty: it was.
};

/// What was chosen, and why.
struct TuningReport {
  std::string strategy;
  Values values = Values::kFloat;
  Device device;
  std::size_t sample_records = 0;
  double seconds = 0;               ///< That tuning took.
  bool remembered = false;          ///< From an earlier run: nothing was timed.
  std::vector<TimedStrategy> ways;  ///< Those timed first, the fastest first.
};

/// What a text of remembered choices, read from cache_folder()/choices.json, says of a key.
/// @param report  Strategy, values and device are set when a choice is found that still can be made.
bool recall_choice(std::string_view remembered, const std::string& key, const StrategyRequest& request,
                   TuningReport& report);

/// Two batches whose sizes are of one class are evaluated alike: the number of binary digits, in steps of two.
int batch_class(std::size_t num_records);

inline constexpr double kTuningBudgetSeconds = 0.05;
/// Enough that starting threads or kernels is not what is timed.
inline constexpr std::size_t kMostTuningRecords = std::size_t{1} << 17;

/// Times the strategies that can evaluate a model, on a sample of the user's own records, and names the fastest. They
/// share the time, likely winners first, each a few hundred records before the whole sample.
/// @param request   Its strategy and values are ignored.
/// @param sample    On the device of the request; at most kMostTuningRecords are looked at.
/// @param budget_s  Seconds that may be spent; more, a tenth of the work, where evaluating the records takes long.
TuningReport tune_model(const StrategyRequest& request, const KeptRecords& sample, double budget_s);

/// Table of a report for people.
std::string tuning_table(const TuningReport& report);

/// One record after another, each down every tree: Spencer, Procedure 2. What all others are compared with.
std::unique_ptr<RecordEvaluator> make_serial(const StrategyRequest& request);

// Three strategies of the CPU that cut trees into a part that is merged and one that is walked.

/// All records of a block take a step down a tree before any takes the next.
std::unique_ptr<RecordEvaluator> make_interleaved(const StrategyRequest& request);
/// Every test is taken for all records (after QuickScorer, Lucchese et al., SIGIR 2015).
std::unique_ptr<RecordEvaluator> make_bit_mask(const StrategyRequest& request);
OptionSentence bit_mask_unsupported(const EvaluationModel& model, Values values, Device device);
/// The upper levels as by bit-mask, the lower ones as interleaved, cut where that takes the least time.
std::unique_ptr<RecordEvaluator> make_layered(const StrategyRequest& request);
/// "" : these can evaluate every flat forest.
OptionSentence always_supported(const EvaluationModel& model, Values values, Device device);

/// One comparison a record, whatever the number and depth of trees; on the CPU.
OptionSentence interval_unsupported(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_interval(const StrategyRequest& request);

}  // namespace fernwood::records
