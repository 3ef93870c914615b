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

/// Arguments for making the evaluator of a strategy.
struct StrategyRequest {
  SharedModel model;
  std::string strategy;
  Values values = Values::kFloat;
  Device device;
  int threads = 0;
};

/// For example "packed, ranks, on cuda:0".
std::string describe_request(const StrategyRequest& request);

/// A way to evaluate forests: a row of a StrategyTable.
struct Strategy {
  std::string name;
  bool on_gpu;     ///< Otherwise on the CPU.
  bool has_ranks;  ///< Can represent values as ranks.
  /// Why it cannot evaluate this model, as the rest of a sentence; empty when it can. Called only for values that it
  /// can represent, and if the model has its flat form. Null: it needs no other form than the forest itself.
  OptionSentence (*unsupported_reason)(const EvaluationModel& model, Values values, Device device);
  std::unique_ptr<RecordEvaluator> (*make)(const StrategyRequest& request);
};

/// The available strategies, by name.
class StrategyTable {
 public:
  explicit StrategyTable(std::vector<Strategy> rows) : rows_(std::move(rows)) {}

  const std::vector<Strategy>& rows() const { return rows_; }
  /// @throws Error(kUsage) with the available names.
  const Strategy& find(const std::string& name) const;
  /// @throws Error(kUsage) with the unsupported_reason.
  std::unique_ptr<RecordEvaluator> make_evaluator(const StrategyRequest& request) const;

 private:
  std::vector<Strategy> rows_;
};

/// The strategies that are the fastest for some forests: those of the CPU first, then, if this build has CUDA, those of
/// GPUs. The table for experiments, lab/records/strategies.h, has further ones for comparison.
const StrategyTable& product_strategies();
/// The strategies of GPUs; empty in a build without CUDA.
std::vector<Strategy> gpu_strategies();

/// The first iterations of a forest, as options request. @throws Error(kUsage) from first_iterations().
RecordForest taken_iterations(const RecordForest& forest, const EvaluatorOptions& options);

/// make_record_evaluator() for an existing model.
std::unique_ptr<RecordEvaluator> make_evaluator(const SharedModel& model, const EvaluatorOptions& options);
/// The same for a forest that may have linear leaves.
std::unique_ptr<RecordEvaluator> make_evaluator(const RecordForest& forest, RequestedOutput wanted,
                                                const EvaluatorOptions& options);

/// Classes or floating-point sums of a forest with linear leaves: strategies find the leaves, on any device, and the
/// host adds the values of their linear models at the records.
std::unique_ptr<RecordEvaluator> make_linear_evaluator(const RecordForest& forest, RequestedOutput wanted,
                                                       const EvaluatorOptions& options);

/// Why a strategy cannot evaluate a model in this build on this device, as a sentence; empty when it can.
OptionSentence why_unsupported(const Strategy& strategy, const EvaluationModel& model, Values values, Device device);

/// Why a strategy that only finds classes cannot compute the output, as the rest of a sentence; empty when it can.
OptionSentence classes_only_unsupported(const EvaluationModel& model);

/// Finds the classes that strategies left undecided, by the library's own sums.
/// @param records  In host memory. @param found  Their classes, of which those that are kUndecided are replaced.
void decide(const EvaluationModel& model, const RecordView& records, const Found& found);

/// A strategy of the CPU: computes the requested output for one block of records, on one thread.
class CpuStrategy {
 public:
  virtual ~CpuStrategy() = default;
  /// Preferred number of records in a block.
  virtual std::size_t block_size() const { return 1024; }
  /// @param found  Output of the block, written.
  /// @param worker  Index of the scratch memory, below the number of threads.
  virtual void evaluate(const RecordView& block, const Found& found, int worker) = 0;
};

/// Runs a strategy of the CPU over blocks, on threads.
std::unique_ptr<RecordEvaluator> evaluate_on_cpu(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy,
                                                 std::shared_ptr<ThreadPool> pool);

/// @throws Error(kData) when the records do not have as many attributes as the model.
void check_attributes(const RecordView& records, std::size_t num_attributes);

/// @throws Error(kUsage) when the records are on another device.
void check_kept(const KeptRecords& records, Device device);
/// keep_records() for a GPU.
KeptRecords keep_on_gpu(Device device, const RecordView& records);

/// Tunes on the first records of each class of batch, then evaluates by the strategy found; on the CPU a single record
/// is evaluated by "tree-parallel" without tuning.
/// @param remember  Choices are read from and written to the autotune cache.
std::unique_ptr<RecordEvaluator> make_auto_evaluator(const StrategyRequest& request, bool remember);

/// A strategy and its time, as measured by the tuner.
struct TimedStrategy {
  std::string strategy;
  Values values = Values::kFloat;
  double ns_per_record = 0;  ///< Best of its runs; 0: not timed.
  std::string left_out;      ///< Why it was not timed; empty if it was.
};

/// The choice of the tuner, and the measurements behind it.
struct TuningReport {
  std::string strategy;
  Values values = Values::kFloat;
  Device device;
  std::size_t sample_records = 0;
  double seconds = 0;               ///< Time that tuning took.
  bool remembered = false;          ///< The choice is from an earlier run: nothing was timed.
  std::vector<TimedStrategy> ways;  ///< The timed ones first, by increasing time.
};

/// Looks up a key in the text of the autotune cache, cache_folder()/choices.json.
/// @param report  Strategy, values and device are set if a choice is found that is still possible.
bool recall_choice(std::string_view remembered, const std::string& key, const StrategyRequest& request,
                   TuningReport& report);

/// Class of a batch's size, by the number of binary digits in steps of two. Batches of one class use the same strategy.
int batch_class(std::size_t num_records);

inline constexpr double kTuningBudgetSeconds = 0.05;
/// Large enough that the time is not dominated by starting threads or kernels.
inline constexpr std::size_t kMaxTuningRecords = std::size_t{1} << 17;

/// Times the strategies that can evaluate a model, on a sample of the user's own records, and reports the fastest. They
/// share the time, likely winners first; each starts with a few hundred records before the whole sample is used.
/// @param request   Its strategy and values are ignored.
/// @param sample    On the device of the request; at most kMaxTuningRecords are used.
/// @param budget_s  Time limit in seconds; where evaluating the records takes long, a tenth of that time if it is more.
TuningReport tune_model(const StrategyRequest& request, const KeptRecords& sample, double budget_s);

/// The report as a table to print.
std::string tuning_table(const TuningReport& report);

/// One record after another, each down every tree: Spencer, Procedure 2. The reference for all other strategies.
std::unique_ptr<RecordEvaluator> make_serial(const StrategyRequest& request);

// Three strategies of the CPU that divide trees into a merged and a walked part.

/// All records of a block take a step down a tree before any takes the next one.
std::unique_ptr<RecordEvaluator> make_interleaved(const StrategyRequest& request);
/// Every test is evaluated for all records (after QuickScorer, Lucchese et al., SIGIR 2015).
std::unique_ptr<RecordEvaluator> make_bit_mask(const StrategyRequest& request);
OptionSentence bit_mask_unsupported(const EvaluationModel& model, Values values, Device device);
/// The upper levels as in bit-mask, the lower ones as in interleaved, divided where that takes the least time.
std::unique_ptr<RecordEvaluator> make_layered(const StrategyRequest& request);
/// Returns "": these strategies can evaluate every flat forest.
OptionSentence always_supported(const EvaluationModel& model, Values values, Device device);

/// One record after another, each down all trees at once: the fastest for a single record.
std::unique_ptr<RecordEvaluator> make_tree_parallel(const StrategyRequest& request);

/// One comparison for each record, whatever the number and depth of trees; on the CPU.
OptionSentence interval_unsupported(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_interval(const StrategyRequest& request);

}  // namespace fernwood::records
