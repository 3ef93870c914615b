// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// Records where all evaluators of one device read them; on the CPU they stay where they are, and must.
struct KeptRecords {
  Device device;
  RecordView view;                     ///< In the device's memory.
  std::shared_ptr<const void> memory;  ///< On a GPU, what `view` lies in.
};
/// @throws Error(kDevice), Error(kResource).
KeptRecords keep_records(Device device, const RecordView& records);

/// Memory of the host for records or classes that the device copies from and to fastest: page-locked for a GPU.
std::shared_ptr<void> host_memory(Device device, std::size_t size_bytes);

/// Gives records their classes by one strategy on one device. Every strategy gives the classes that sum_trees() and
/// choose_class() give, for every input. One call at a time.
class RecordEvaluator {
 public:
  virtual ~RecordEvaluator() = default;

  /// From records in the host's memory to classes in the host's memory.
  /// @param records  Of as many attributes as the forest has. @param classes  [records], written.
  /// @throws Error(kData) when the number of attributes differs.
  virtual void classify(const RecordView& records, std::int32_t* classes) = 0;

  /// Evaluates records that are kept on the evaluator's device, without any copy.
  /// @return  Seconds that it took, on a GPU by its own clock. @throws Error(kUsage) for those kept elsewhere.
  virtual double classify_kept(const KeptRecords& records) = 0;
  /// Fetches what the last classify_kept() found. @param classes  [records kept], written.
  virtual void kept_classes(std::int32_t* classes) = 0;

  /// The strategy that evaluates, and where; for "auto" what the last tuning found.
  virtual std::string explain() const = 0;
};

/// How attribute values are held while a forest is evaluated.
enum class Values {
  kFloat,  ///< As they are.
  kRanks   ///< As the number of the forest's thresholds below them, in 8 or 16 bits: exact, and smaller.
};
inline constexpr std::array kValues = {Values::kFloat, Values::kRanks};
/// "float", "ranks".
std::string to_string(Values values);

struct EvaluatorOptions {
  std::string strategy = "auto";  ///< One of strategies(), or "auto": the fastest on the first records of each size of
                                  ///< batch, as tune_strategy() finds it; values are chosen with it.
  Values values = Values::kFloat;
  std::string device = "auto";  ///< As of choose_device().
  int threads = 0;              ///< On the CPU; 0: all.
  bool remember = true;         ///< Of "auto": choices are kept in cache_folder() and found there again.
};

/// What there is to choose from.
struct StrategyInfo {
  std::string name;
  std::string summary;     ///< What it does, with its source, in a few words.
  bool on_gpu = false;     ///< Else on the CPU.
  bool has_ranks = false;  ///< Can hold values as ranks.
};
/// All of this build, those of the CPU first.
std::vector<StrategyInfo> strategies();

/// Why a strategy cannot evaluate a forest here, as a sentence; empty when it can.
std::string strategy_obstacle(const RecordForest& forest, const std::string& strategy, Values values, Device device);

/// @throws Error(kUsage) for an unknown strategy or one that cannot evaluate this forest, saying why; Error(kDevice).
std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options);

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

/// Two batches whose sizes are of one class are evaluated alike: the number of binary digits, in steps of two.
int batch_class(std::size_t num_records);

/// Times the strategies that can evaluate a forest, on a sample of the user's own records, and names the fastest. They
/// share the time, likely winners first, each a few hundred records before the whole sample.
/// @param sample    Records of the forest's kind; at most some thousands are looked at.
/// @param options   Its strategy and values are ignored.
/// @param budget_s  Seconds that may be spent.
TuningReport tune_strategy(const RecordForest& forest, const RecordView& sample, const EvaluatorOptions& options,
                           double budget_s = 0.05);

/// Table of a report for people.
std::string tuning_table(const TuningReport& report);

}  // namespace fernwood::records
