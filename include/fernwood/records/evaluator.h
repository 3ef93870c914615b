// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/text.h"
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
  /// One of those in docs/records.md, or "auto": the fastest on the first records of each size of batch, found by
  /// timing them; values are chosen with it.
  std::string strategy = "auto";
  Values values = Values::kFloat;
  std::string device = "auto";  ///< As of choose_device().
  int threads = 0;              ///< On the CPU; 0: all.
  bool remember = true;         ///< Of "auto": choices are kept in cache_folder() and found there again.

  static OptionTable<EvaluatorOptions> table();
};

/// Sets options by their names, as `fernwood records predict` does.
/// @throws Error(kUsage) for an unknown name, or a text that is not a value.
void set_options(const OptionTexts& texts, EvaluatorOptions& options);

/// @throws Error(kUsage) for an unknown strategy or one that cannot evaluate this forest, saying why; Error(kDevice).
std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options);

/// Gives many records the probabilities of their classes, on the CPU: those of sum_trees() and probabilities_of(), bit
/// for bit. One call at a time.
class ProbabilityEvaluator {
 public:
  /// @param threads  0: all. @throws Error(kModel) as check_records().
  explicit ProbabilityEvaluator(const RecordForest& forest, int threads = 0);
  ~ProbabilityEvaluator();
  ProbabilityEvaluator(const ProbabilityEvaluator&) = delete;
  ProbabilityEvaluator& operator=(const ProbabilityEvaluator&) = delete;

  /// @param probabilities  [record][class], written. @throws Error(kData) when the number of attributes differs.
  void find(const RecordView& records, float* probabilities);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fernwood::records
