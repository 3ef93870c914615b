// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Search for the training options with which a forest over records is most accurate.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/confusion.h"
#include "fernwood/records/train_records.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

/// Names of kObjectives for records, in options and files: "accuracy" is the share of correctly classified records.
inline constexpr std::array kRecordObjectives = {"mean", "accuracy", "class"};
std::string record_objective_name(Objective objective);

struct RecordSearchOptions : DataSearchOptions {
  RecordSearchOptions() { objective = Objective::kPixel; }

  records::RecordTrainOptions train;  ///< The hand-made defaults, and values of options outside the space.
  double record_us = 0;               ///< Variants that need more microseconds per record are eliminated; 0: no limit.
  int threads = 0;                    ///< Number of threads; 0: all.
  std::string data;                   ///< Name of the records in messages, such as their file.

  /// Options only for records: the objective has other names, and record_us replaces --max-latency-ms.
  static OptionTable<RecordSearchOptions> table();
  /// @throws Error(kUsage) naming the first field out of range.
  void check() const;
};

/// Result of a search of record forests. Times are with this machine's fastest strategy, for all records at once.
struct RecordSearch : DataSearch {
  RecordSearch() {
    device = "cpu";
    objective = Objective::kPixel;
  }

  records::RecordTrainOptions train;                          ///< The winner's.
  std::size_t test_records = 0;                               ///< Size of the test table; 0: no table.
  std::optional<EvaluatedForest> test_winner, test_defaults;  ///< On the test table, trained on all other records.
  records::RecordForest forest;                               ///< The winner's, trained on all records.
  records::RecordTrainReport train_report;                    ///< Report of that training.
};

/// The search space, see docs/reference/search.md. @param num_attributes  That of the records.
Space search_space(std::size_t num_attributes, const RecordSearchOptions& options);

/// Runs a search. @param table  Each record has a class.
/// @param test  Records with the same attributes and classes, used only for the final comparison; null: none.
/// @throws Error(kData) for a single class or too few records, errors of run_search() and train_records().
RecordSearch search_records(const records::RecordTable& table, const RecordSearchOptions& options,
                            const SearchHooks& hooks = {}, const records::RecordTable* test = nullptr);

/// The winner as a --config file for `fernwood-tables train`, which trains the winner's forest from the records of the
/// search.
std::string winner_config(const RecordSearch& found);

}  // namespace fernwood::search
