// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/search/search_records.h"
#include "search/option_space.h"

namespace fernwood::search {

/// The options for training record forests that a search may choose, with their default ranges: a new option is a new
/// row of the table in record_problem.cpp.
/// @param base  The hand-made defaults.
Space record_space(const records::RecordTrainOptions& base, std::size_t num_attributes);

inline constexpr double kMicrosecondsOfAMillisecond = 1000;

/// Assignment of records to folds.
struct RecordCut {
  static constexpr int kHeldOut = -1;  ///< Not used by any race.

  std::vector<int> fold_of;  ///< [record]
  int num_folds = 0;

  std::size_t num_held_out() const;
};

/// Divides records so that each fold, and the held-out part, has its share of each class, in a seeded random order.
/// @param num_folds  Reduced if records are few. @param held_out  Share of the records, [0, 0.9].
/// @param data        Name of the records in messages.
/// @throws Error(kData) for records of one class, or too few.
RecordCut cut_records(const records::RecordTable& table, std::size_t num_folds, double held_out, std::uint64_t seed,
                      const std::string& data);

/// The records of a table, in their order, for whose fold `wanted` holds.
records::RecordTable records_where(const records::RecordTable& table, const RecordCut& cut,
                                   const std::function<bool(int fold)>& wanted);

/// Accuracy of a forest's classes on records.
Accuracy accuracy_of_records(const records::RecordForest& forest, const records::RecordTable& table, ThreadPool& pool);

/// Time of the fastest strategy to classify a table at once, in microseconds for each record. @param threads  0: all.
double classifying_us(const records::RecordForest& forest, const records::RecordTable& table, int threads);

/// A race of record forests: each evaluation trains on the records of all folds but one and tests on that one.
class RecordProblem : public Problem {
 public:
  /// @param table  Must outlive this object, and so must `pool` and `cut`.
  RecordProblem(const records::RecordTable& table, const RecordCut& cut, Space space,
                const RecordSearchOptions& options, ThreadPool& pool, std::stop_token stop = {});

  const Space& space() const override { return space_; }
  std::size_t num_folds() const override { return static_cast<std::size_t>(cut_.num_folds); }
  std::string fingerprint() const override;
  /// Fewer trees are the first of more.
  std::vector<Configuration> variants(const Configuration& trial) const override;
  void check(const Configuration& configuration) const override { apply_configuration(configuration, options_.train); }
  EvaluationResult measure(const Configuration& trial, const std::vector<Configuration>& variants, std::size_t fold,
                           bool timed) override;
  std::string time_text(double record_ms) const override;

 private:
  const records::RecordTable& table_;
  const RecordCut& cut_;
  Space space_;
  RecordSearchOptions options_;
  ThreadPool& pool_;
  std::stop_token stop_;
};

/// Grows a forest. @throws Error(kInterrupted) when a stop is requested.
records::RecordForest grow_records(const records::RecordTable& table, const records::RecordTrainOptions& options,
                                   ThreadPool& pool, const std::stop_token& stop, records::RecordTrainReport* report);

}  // namespace fernwood::search
