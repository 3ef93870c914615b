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

/// Where what is found of records is written: one of both.
struct Found {
  std::int32_t* numbers = nullptr;  ///< [record][width] Classes, whole-number sums or leaves.
  double* values = nullptr;         ///< [record][output] Floating-point sums.

  /// Behind so many numbers.
  FW_HD Found behind(std::size_t count) const {
    return {numbers ? numbers + count : nullptr, values ? values + count : nullptr};
  }
};

/// Evaluates a forest by one strategy on one device. Every strategy gives the classes of classify_record() and
/// the values of sum_values(), for every input, bit for bit. One call at a time.
class RecordEvaluator {
 public:
  virtual ~RecordEvaluator() = default;

  /// From records in the host's memory to what was asked for, in the host's memory.
  /// @param records  Of as many attributes as the forest has. @param found  Written.
  /// @throws Error(kData) when the number of attributes differs.
  virtual void evaluate(const RecordView& records, const Found& found) = 0;
  /// evaluate() of classes. @param classes  [records], written.
  void classify(const RecordView& records, std::int32_t* classes) { evaluate(records, {.numbers = classes}); }

  /// Evaluates records that are kept on the evaluator's device, without any copy.
  /// @return  Seconds that it took, on a GPU by its own clock. @throws Error(kUsage) for those kept elsewhere.
  virtual double evaluate_kept(const KeptRecords& records) = 0;
  /// Fetches what the last evaluate_kept() found. On a GPU classes that sums leave open stay kUndecided: the records
  /// are not at hand. @param found  Of the records kept; written.
  virtual void fetch_kept(const Found& found) = 0;

  /// Evaluates records that lie on the evaluator's GPU, and leaves what is found there, in the order of a stream.
  /// @param found  On the GPU; as fetch_kept(), but decided. @param stream  A cudaStream_t; null: the default stream.
  /// @throws Error(kUsage) where the evaluator works on the CPU.
  virtual void evaluate_on_device(const RecordView& records, const Found& found, void* stream);

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
  /// One of those in docs/reference/records.md, or "auto": the fastest on the first records of each size of batch,
  /// found by timing them; values are chosen with it.
  std::string strategy = "auto";
  Values values = Values::kFloat;
  std::string device = "auto";  ///< As of choose_device().
  int threads = 0;              ///< On the CPU; 0: all.
  bool remember = true;         ///< Of "auto": choices are kept in cache_folder() and found there again.
  int iterations = 0;           ///< first_iterations() are evaluated; 0: all.

  static OptionTable<EvaluatorOptions> table();
};

/// Sets options by their names, as `fernwood records predict` does.
/// @throws Error(kUsage) for an unknown name, or a text that is not a value.
void set_options(const OptionTexts& texts, EvaluatorOptions& options);

/// @throws Error(kUsage) for an unknown strategy or one that cannot evaluate this forest, saying why; Error(kDevice).
std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options);

/// Finds what a forest predicts of many records: sums over trees, probabilities of classes or values of targets, and
/// leaves. One call at a time.
class ValueEvaluator {
 public:
  /// @param options  Of floating-point sums and leaves. Whole-number sums, of forests of classes that have no others,
  /// are found on the CPU by a strategy of its own. @throws Error(kModel) as check_records(), Error(kUsage, kDevice) as
  /// make_record_evaluator().
  ValueEvaluator(const RecordForest& forest, const EvaluatorOptions& options);
  ~ValueEvaluator();
  ValueEvaluator(const ValueEvaluator&) = delete;
  ValueEvaluator& operator=(const ValueEvaluator&) = delete;

  /// Sums over trees, the library's own where a model was imported: log-odds, logarithms, values before their link.
  /// @param margins  [record][output], written. @throws Error(kData) when the number of attributes differs.
  void find_margins(const RecordView& records, double* margins);
  /// Probabilities of classes, or values of targets: predict_from_sums() of find_margins(); where there are none but
  /// whole-number sums probabilities_of() those, which have 32 bits.
  /// @param predicted  [record][num_predicted()], written. @throws Error(kData) likewise.
  void predict(const RecordView& records, double* predicted);
  /// The number of the leaf that a record ends in, of each tree by itself: the library's where a model was imported.
  /// @param leaves  [record][num_trees()], written. @throws Error(kData) likewise.
  void find_leaves(const RecordView& records, std::int32_t* leaves);
  /// What that leaf adds to the outputs of its tree, before sums are divided, scaled and shifted.
  /// @param values  [record][num_trees()][tree_width()], written. @throws Error(kData) likewise.
  void find_tree_values(const RecordView& records, double* values);

  std::size_t num_trees() const;
  /// Outputs that each tree adds to. @throws Error(kUsage) when trees differ in that.
  std::size_t tree_width() const;

  /// Margins of records that lie on a GPU, left there: RecordEvaluator::evaluate_on_device() of them.
  /// @param margins  [record][output] @throws Error(kUsage) also for forests that have whole-number sums only.
  void find_margins_on_device(const RecordView& records, double* margins, void* stream);

  /// predict() of records that lie on a GPU, left there, with its bits. Where margins have a link, or sums are whole
  /// numbers, it waits for the stream: the rest is found on the CPU.
  /// @param predicted  [record][num_predicted()]
  void predict_on_device(const RecordView& records, double* predicted, void* stream);

  /// RecordEvaluator::explain() of the sums.
  std::string explain() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fernwood::records
