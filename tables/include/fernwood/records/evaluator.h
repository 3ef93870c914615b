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

/// Records in the memory of a device, for all evaluators of that device. On the CPU they are not copied: the caller's
/// memory must stay valid.
struct KeptRecords {
  Device device;
  RecordView view;                     ///< In the device's memory.
  std::shared_ptr<const void> memory;  ///< On a GPU, owns the memory of `view`.
};
/// Copies records to a GPU; on the CPU, only refers to them. @throws Error(kDevice), Error(kResource).
KeptRecords keep_records(Device device, const RecordView& records);

/// Output arrays of an evaluation; exactly one of them is set.
struct Found {
  std::int32_t* numbers = nullptr;  ///< [record][width] Classes, whole-number sums or leaves.
  double* values = nullptr;         ///< [record][output] Floating-point sums.

  /// The same arrays from element `count` on.
  FW_HD Found behind(std::size_t count) const {
    return {numbers ? numbers + count : nullptr, values ? values + count : nullptr};
  }
};

/// Evaluates a forest by one strategy on one device. For every input, every strategy returns the classes of
/// classify_record() and the values of sum_values(), bit for bit. One call at a time.
class RecordEvaluator {
 public:
  virtual ~RecordEvaluator() = default;

  /// Evaluates records in host memory, with the results in host memory.
  /// @param records  With the forest's number of attributes. @param found  Written.
  /// @throws Error(kData) if the number of attributes differs.
  virtual void evaluate(const RecordView& records, const Found& found) = 0;
  /// evaluate() of an evaluator for classes. @param classes  [records], written.
  void classify(const RecordView& records, std::int32_t* classes) { evaluate(records, {.numbers = classes}); }

  /// Evaluates records that are kept on the evaluator's device, without copying them.
  /// @return  Its duration in seconds, on a GPU by the GPU's clock. @throws Error(kUsage) for another device's records.
  virtual double evaluate_kept(const KeptRecords& records) = 0;
  /// Copies the results of the last evaluate_kept(). On a GPU, classes that sums do not decide stay kUndecided, since
  /// the host does not have the records. @param found  For all records kept; written.
  virtual void fetch_kept(const Found& found) = 0;

  /// Evaluates records in the memory of the evaluator's GPU, with the results there, in stream order.
  /// @param found  On the GPU; unlike in fetch_kept(), all classes are decided.
  /// @param stream  A cudaStream_t; null: the default stream. @throws Error(kUsage) if the evaluator is on the CPU.
  virtual void evaluate_on_device(const RecordView& records, const Found& found, void* stream);

  /// Describes strategy and device; for "auto", the results of the last tuning.
  virtual std::string explain() const = 0;
};

/// Representation of attribute values during evaluation.
enum class Values {
  kFloat,  ///< The values themselves.
  kRanks   ///< The number of the forest's thresholds below the value, in 8 or 16 bits: exact, and smaller.
};
inline constexpr std::array kValues = {Values::kFloat, Values::kRanks};
/// "float", "ranks".
std::string to_string(Values values);

struct EvaluatorOptions {
  /// A strategy of docs/reference/records.md, or "auto": for each batch size, the strategy and `values` that are
  /// fastest on the first records, by timing.
  std::string strategy = "auto";
  Values values = Values::kFloat;
  std::string device = "auto";  ///< See choose_device().
  int threads = 0;              ///< Number of CPU threads; 0: all.
  bool remember = true;         ///< Whether "auto" stores its choices in cache_folder() and reuses stored ones.
  int iterations = 0;           ///< Number of iterations to evaluate, see first_iterations(); 0: all.

  static OptionTable<EvaluatorOptions> table();
};

/// Sets options by their names, as `fernwood-tables predict` does.
/// @throws Error(kUsage) for an unknown name or an invalid value.
void set_options(const OptionTexts& texts, EvaluatorOptions& options);

/// An evaluator for classes. @throws Error(kUsage) for an unknown strategy, or one that cannot evaluate this forest,
/// with the reason; Error(kDevice).
std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options);

/// Computes a forest's predictions for many records: sums over trees, class probabilities or target values, and leaves.
/// One call at a time.
class ValueEvaluator {
 public:
  /// @param options  For floating-point sums and leaves. Forests that have only whole-number sums are summed on the
  /// CPU, by a fixed strategy. @throws Error(kModel) as check_records(), Error(kUsage, kDevice) as
  /// make_record_evaluator().
  ValueEvaluator(const RecordForest& forest, const EvaluatorOptions& options);
  ~ValueEvaluator();
  ValueEvaluator(const ValueEvaluator&) = delete;
  ValueEvaluator& operator=(const ValueEvaluator&) = delete;

  /// Sums over trees (log-odds, logarithms, or values before the link); for an imported model, those of its library.
  /// @param margins  [record][output], written. @throws Error(kData) if the number of attributes differs.
  void find_margins(const RecordView& records, double* margins);
  /// Class probabilities or target values: predict_from_sums() of find_margins(), or, in forests that have only
  /// whole-number sums, probabilities_of() those, with 32 bits.
  /// @param predicted  [record][num_predicted()], written. @throws Error(kData) likewise.
  void predict(const RecordView& records, double* predicted);
  /// The number of the leaf that a record reaches in each tree; for an imported model, the number in its library.
  /// @param leaves  [record][num_trees()], written. @throws Error(kData) likewise.
  void find_leaves(const RecordView& records, std::int32_t* leaves);
  /// The values of these leaves, before sums are divided, scaled and shifted.
  /// @param values  [record][num_trees()][tree_width()], written. @throws Error(kData) likewise, Error(kUsage) for
  /// linear leaves.
  void find_tree_values(const RecordView& records, double* values);

  std::size_t num_trees() const;
  /// Number of outputs to which each tree adds. @throws Error(kUsage) if it differs between trees.
  std::size_t tree_width() const;

  /// Margins of records in the memory of a GPU, written there, as by RecordEvaluator::evaluate_on_device().
  /// @param margins  [record][output] @throws Error(kUsage) also for forests that have only whole-number sums.
  void find_margins_on_device(const RecordView& records, double* margins, void* stream);

  /// predict() of records in the memory of a GPU, written there, with the same bits. If margins have a link, or sums
  /// are whole numbers, it waits for the stream, since the rest is computed on the CPU.
  /// @param predicted  [record][num_predicted()]
  void predict_on_device(const RecordView& records, double* predicted, void* stream);

  /// RecordEvaluator::explain() of the sums.
  std::string explain() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fernwood::records
