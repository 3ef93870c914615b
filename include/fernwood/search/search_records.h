// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The options that give the most accurate forest over a table of records.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/forest/accuracy.h"
#include "fernwood/records/train_records.h"
#include "fernwood/search/data_search.h"

namespace fernwood::search {

/// As options and files call kObjectives of records: accuracy is the share of the records that get their class.
inline constexpr std::array kRecordObjectives = {"mean", "accuracy", "class"};
std::string record_objective_name(Objective objective);

struct RecordSearchOptions : DataSearchOptions {
  RecordSearchOptions() { objective = Objective::kPixel; }

  records::RecordTrainOptions train;  ///< The hand-made defaults, and what the space does not name.
  double record_us = 0;               ///< Variants that take longer for a record are out; 0: no limit.
  int threads = 0;                    ///< 0: all.
  std::string data;                   ///< What the records are called in messages, such as their file.

  /// What is of records alone: the objective has other words, and this limit is in place of --max-latency-ms.
  static OptionTable<RecordSearchOptions> table();
  /// @throws Error(kUsage) naming the first field out of its range.
  void check() const;
};

/// A forest on records that it has not seen.
struct EvaluatedRecords {
  forest::Accuracy accuracy;  ///< A record counts as a pixel.
  double record_us = 0;       ///< Microseconds a record, by the fastest strategy here, all records at once.
};

/// What a search of record forests came to.
struct RecordSearch {
  SearchReport race;
  std::string data;
  std::size_t race_records = 0, held_out_records = 0, folds = 0;
  Objective objective = Objective::kPixel;
  double record_us_limit = 0, train_seconds_limit = 0;         ///< 0: none.
  records::RecordTrainOptions train;                           ///< The winner's.
  EvaluatedRecords winner, defaults;                           ///< On records held out, trained on those of the race.
  std::size_t test_records = 0;                                ///< Of a test table; 0: none was given.
  std::optional<EvaluatedRecords> test_winner, test_defaults;  ///< On it, trained on all other records.
  records::RecordForest forest;                                ///< The winner's, trained on all records.
  records::RecordTrainReport train_report;                     ///< Of that training.
  std::vector<Warning> warnings;
};

/// The space that would be searched. @param num_attributes  Of the records. See docs/reference/search.md.
Space search_space(std::size_t num_attributes, const RecordSearchOptions& options);

/// @param table  Each record has a class. @param test  Records with the same attributes and classes, which nothing but
///               the last comparison sees; null: none.
/// @throws Error(kData) for one class or too few records, what run_search() and train_records() throw.
RecordSearch search_records(const records::RecordTable& table, const RecordSearchOptions& options,
                            const SearchHooks& hooks = {}, const records::RecordTable* test = nullptr);

/// Takes part in the race of other processes that search_records() with the same folder, and ends with it.
/// @throws Error as search_records() does.
void race_records(const records::RecordTable& table, const RecordSearchOptions& options, const SearchHooks& hooks = {});

/// The winner as a --config file for `fernwood records train`: with the records of the search it trains the winner's
/// forest.
std::string winner_config(const RecordSearch& found);

}  // namespace fernwood::search
