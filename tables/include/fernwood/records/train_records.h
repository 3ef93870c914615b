// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "fernwood/core/error.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::records {

/// The quantity that a forest predicts.
enum class Task {
  kAuto,            ///< Classes, whatever the data.
  kClassification,  ///< The class of a record.
  kRegression       ///< The target of a record, a number.
};
inline constexpr std::array kTasks = {Task::kAuto, Task::kClassification, Task::kRegression};
/// "auto", "classification", "regression".
std::string to_string(Task task);

/// Impurity measure of the classes of a node.
enum class Criterion { kGini, kEntropy };
inline constexpr std::array kCriteria = {Criterion::kGini, Criterion::kEntropy};
/// "gini", "entropy".
std::string to_string(Criterion criterion);
/// @throws OptionError if targets are predicted with kEntropy; with the default kGini, they use the squared error.
void check_criterion(Criterion criterion, bool predicts_targets);

/// Options of the training of a forest over attributes (Breiman, Random Forests, 2001).
struct RecordTrainOptions {
  Task task = Task::kAuto;
  int trees = 100;                         ///< [1, 10000]
  int max_depth = 0;                       ///< Levels below the root; 0: no limit.
  int max_leaves = 0;                      ///< Leaves of a tree, at least 2; 0: no limit. See train_records().
  int min_samples = 2;                     ///< A node with fewer samples becomes a leaf, >= 2.
  int min_leaf_samples = 1;                ///< Minimum number of samples on each side of a test, >= 1.
  Criterion criterion = Criterion::kGini;  ///< Impurity that tests minimise; for targets the squared error.
  /// Attributes tried at each node; 0: the square root of their number, a third with targets, all for a single tree.
  int attributes_per_split = 0;
  std::optional<bool> bootstrap;  ///< Whether each tree draws its records with replacement; empty: if trees > 1.
  std::uint64_t seed = 4711;      ///< The same seed grows the same forest, for any number of threads.

  bool predicts_targets() const { return task == Task::kRegression; }
  bool draws_records() const { return bootstrap.value_or(trees > 1); }
  static OptionTable<RecordTrainOptions> table();
  /// @throws OptionError naming the first option out of range.
  void check() const;
};

/// The options as one JSON object, in one line.
std::string to_json(const RecordTrainOptions& options);

/// Sets options by their names, as `fernwood-tables train` does.
/// @throws Error(kUsage) for an unknown name or an invalid value.
void set_options(const OptionTexts& texts, RecordTrainOptions& options);

/// Statistics of a training.
struct RecordTrainReport {
  double seconds = 0;  ///< Duration of growing and of its preparation.
  /// With bootstrap, the out-of-bag accuracy, or ValueErrors::r2() for targets.
  std::optional<double> out_of_bag;
  std::vector<Warning> warnings = {};
};

/// Grows trees with exact tests: every boundary between two different values of an attribute is tried, and the
/// threshold lies midway, so that the lower value goes left. Of equal tests the one with the lower attribute, then the
/// lower threshold wins. If a node has unknown values (NaN) of an attribute, both sides are tried for them, and the
/// test of known against unknown. Attributes that are constant in a node count as tried, but if all tried ones are
/// constant, more are drawn until one varies. With a limit on leaves, the node whose test gains most is split first, as
/// in scikit-learn. Samples are records; a record drawn several times counts as often. A leaf's values are the shares
/// of its classes. With Task::kRegression tests minimise the squared error of targets, and a leaf's value is their
/// mean; targets are rounded to whole numbers first, see FixedTargets, so that sums do not depend on the order.
/// A record of weight 3 counts as three. If weights are not whole numbers, each tree draws as many records as there
/// are, with probabilities in proportion to weights; without bootstrap they are rounded, see RecordWeights, and
/// min_samples and min_leaf_samples count records of mean weight.
/// @param table     At least one record; each has a class or, with Task::kRegression, a target. At most 65536
///                  attributes, 65534 classes, 2^31 - 1 records.
/// @param progress  Called with the weight of records that have reached their leaf, summed over trees.
/// @param memory_budget_bytes  Limit for the values of all leaves (one per class), counted twice, since writing the
///                             forest copies them. 0: no limit.
/// @throws Error(kData) for an invalid table, Error(kUsage), Error(kResource).
RecordForest train_records(const RecordTable& table, const RecordTrainOptions& options, ThreadPool& pool,
                           const ProgressCallback& progress = {}, RecordTrainReport* report = nullptr,
                           std::size_t memory_budget_bytes = 0);

}  // namespace fernwood::records
