// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::records {

/// What a forest is to predict.
enum class Task {
  kAuto,            ///< Classes; nothing is guessed from the data.
  kClassification,  ///< The class of a record.
  kRegression       ///< A number, its target.
};
inline constexpr std::array kTasks = {Task::kAuto, Task::kClassification, Task::kRegression};
/// "auto", "classification", "regression".
std::string to_string(Task task);

/// How mixed the classes of a node are.
enum class Criterion { kGini, kEntropy };
inline constexpr std::array kCriteria = {Criterion::kGini, Criterion::kEntropy};
/// "gini", "entropy".
std::string to_string(Criterion criterion);
/// @throws OptionError unless targets are predicted by kGini, of which they have the squared error.
void check_criterion(Criterion criterion, bool predicts_targets);

/// How a forest over attributes is grown (Breiman, Random Forests, 2001).
struct RecordTrainOptions {
  Task task = Task::kAuto;
  int trees = 100;                         ///< [1, 10000]
  int max_depth = 0;                       ///< Levels below the root; 0: no limit.
  int max_leaves = 0;                      ///< Leaves of a tree, at least 2; 0: no limit. See train_records().
  int min_samples = 2;                     ///< A node with fewer samples becomes a leaf, >= 2.
  int min_leaf_samples = 1;                ///< No test may leave a side with fewer samples, >= 1.
  Criterion criterion = Criterion::kGini;  ///< What a test should make small; of targets the squared error.
  /// Tried at each node; 0: for several trees the root of their number, with targets a third of it, for one tree all.
  int attributes_per_split = 0;
  std::optional<bool> bootstrap;  ///< Each tree sees as many records, drawn; empty: for several trees.
  std::uint64_t seed = 4711;      ///< Same seed, same forest, for any number of threads.

  bool predicts_targets() const { return task == Task::kRegression; }
  bool draws_records() const { return bootstrap.value_or(trees > 1); }
  static OptionTable<RecordTrainOptions> table();
  /// @throws OptionError naming the first option out of its range.
  void check() const;
};

/// The options as one JSON object, in one line.
std::string to_json(const RecordTrainOptions& options);

/// Sets options by their names, as `fernwood records train` does.
/// @throws Error(kUsage) for an unknown name, or a text that is not a value.
void set_options(const OptionTexts& texts, RecordTrainOptions& options);

/// What one learns besides the forest.
struct RecordTrainReport {
  double seconds = 0;  ///< Growing, with what precedes it.
  /// Of records by the trees that have not seen them, with bootstrap: accuracy, of targets ValueErrors::r2().
  std::optional<double> out_of_bag;
};

/// Grows trees whose tests are exact: every boundary between two different values of an attribute is tried, and the
/// threshold lies midway, so that the lower value goes left. Of equal tests the one with the lower attribute, then the
/// lower threshold wins. Where a node has unknown values (NaN) of an attribute, both sides are tried for them, and the
/// test of known against unknown. Attributes that are constant in a node count as tried, but where all tried are, more
/// are drawn until one varies. With a limit of leaves the node whose test gains most is split first, as scikit-learn
/// does. Samples are records, those drawn more than once count as often. A leaf's values are the shares of its classes.
/// With Task::kRegression tests make the squared error of targets small, and a leaf's value is their mean: targets are
/// rounded to whole numbers first, see FixedTargets, so that their sums do not depend on an order.
/// @param table     At least one record; each has a class or, with Task::kRegression, a target. At most 65536
/// attributes, 65534 classes, 2^31 - 1 records.
/// @param progress  Told records that have reached their leaf, summed over trees.
/// @param memory_budget_bytes  Of a value for each class in each leaf, twice: a forest is put together to be written.
/// 0:
///                             without a bound.
/// @throws Error(kData) for a table that breaks a rule, Error(kUsage), Error(kResource).
RecordForest train_records(const RecordTable& table, const RecordTrainOptions& options, ThreadPool& pool,
                           const ProgressCallback& progress = {}, RecordTrainReport* report = nullptr,
                           std::size_t memory_budget_bytes = 0);

}  // namespace fernwood::records
