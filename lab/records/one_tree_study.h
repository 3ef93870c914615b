// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// J. Spencer, Speculative Parallel Evaluation of Classification Trees on GPGPU Compute Engines: table 1, and the
// further work of its section 6.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/records/table_reader.h"
#include "lab/records/timing.h"

namespace fernwood::lab {

struct OneTreeOptions {
  TimingOptions timing{.repeat = 500};
  int leaves = 16;  ///< Leaves of the tree, >= 2.

  static OptionTable<OneTreeOptions> table();
};

/// Run times of a strategy on the paper's records.
struct OneTreeTime {
  Device device;
  std::string way;
  bool by_columns = false;
  RunTimes outer;  ///< From host memory to host memory.
  RunTimes inner;  ///< For records in device memory; on the CPU the same as outer.
};

/// Data-parallel and speculative evaluation of one tree, with records in one order; in microseconds.
struct OneTreeCase {
  std::string shape;
  bool ordered = false;   ///< Whether records that reach the same leaf are contiguous.
  int tests = 0;          ///< p, the threads of a record group.
  double mean_depth = 0;  ///< d_mu for these records.
  double bound = 0;       ///< 2 d / (1 + log2 d) for this mean depth: p should be below it (eq. 1).
  double data_parallel_us = 0, speculative_us = 0, warp_us = 0;  ///< warp_us is 0 if the tree has more tests than a
                                                                 ///< warp has lanes.
};

struct OneTreeStudy {
  OneTreeOptions options;
  std::size_t num_records = 0, num_attributes = 0, num_nodes = 0;
  int depth = 0;
  std::vector<OneTreeTime> times;
  std::vector<OneTreeCase> cases;  ///< Empty on the CPU.
};

/// A table similar to the paper's, if that is not available: 7 classes, 19 attributes.
records::RecordTable segment_like_table();
/// Mean number of levels from the root to a record's leaf. @param forest  Of one tree.
double mean_depth(const records::RecordForest& forest, const records::RecordView& records);
/// Maximum number of threads of a record group for which speculation can pay off: 2 d / (1 + log2 d) (eq. 1).
/// @param mean_depth  At least 1.
double speculation_bound(double mean_depth);
/// Trees with this number of levels or tests on attribute 0, whose leaves are equally likely for values in [0, 1): as
/// flat or as deep as possible.
records::RecordForest balanced_tree(int levels, std::size_t num_attributes);
records::RecordForest chain_tree(int tests, std::size_t num_attributes);

OneTreeStudy run_one_tree_study(const records::RecordTable& table, const OneTreeOptions& options, ThreadPool& pool,
                                const ProgressCallback& progress);

std::string one_tree_study_text(const OneTreeStudy& study);
nlohmann::json one_tree_study_json(const OneTreeStudy& study);

}  // namespace fernwood::lab
