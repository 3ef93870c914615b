// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

#include "fernwood/records/evaluator.h"

namespace fernwood::records {

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

/// Most threads of a record group with which speculation can pay: 2 d / (1 + log2 d) (Spencer, eq. 1).
/// @param mean_depth  Levels that records go down on average, at least 1.
double speculation_bound(double mean_depth);

/// Times the strategies that can evaluate a forest, on a sample of the user's own records, and names the fastest. Those
/// that cannot win for this model are left out, as are those that would have to be compiled first; the rest share the
/// time, likely winners first, each a few hundred records before the whole sample.
/// @param sample    Records of the forest's kind; at most some thousands are looked at.
/// @param options   Its strategy and values are ignored.
/// @param budget_s  Seconds that may be spent.
TuningReport tune_strategy(const RecordForest& forest, const RecordView& sample, const EvaluatorOptions& options,
                           double budget_s = 0.05);

/// Table of a report for people.
std::string tuning_table(const TuningReport& report);

}  // namespace fernwood::records
