// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// J. Spencer, Speculative Parallel Evaluation of Classification Trees on GPGPU Compute Engines: table 1 and what its
// section 6 asks for.

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
  int leaves = 16;  ///< Of the tree, >= 2.

  static OptionTable<OneTreeOptions> table();
};

/// A strategy on the paper's records.
struct OneTreeTime {
  Device device;
  std::string way;
  bool by_columns = false;
  RunTimes outer;  ///< From host memory to host memory.
  RunTimes inner;  ///< Of records that lie on the device; on the CPU the same work as outer.
};

/// Data-parallel against speculative on one tree and order of the records, microseconds.
struct OneTreeCase {
  std::string shape;
  bool ordered = false;   ///< Records that end in one leaf lie together.
  int tests = 0;          ///< p, threads of a record group.
  double mean_depth = 0;  ///< d_mu of these records.
  double bound = 0;       ///< 2 d / (1 + log2 d) with it: eq. (1) asks for p below.
  double data_parallel_us = 0, speculative_us = 0, warp_us = 0;  ///< warp_us 0: more tests than lanes.
};

struct OneTreeStudy {
  OneTreeOptions options;
  std::size_t num_records = 0, num_attributes = 0, num_nodes = 0;
  int depth = 0;
  std::vector<OneTreeTime> times;
  std::vector<OneTreeCase> cases;  ///< On a GPU.
};

/// A table like the paper's, where its own is not at hand: 7 classes, 19 attributes.
records::RecordTable segment_like_table();
/// Levels that records go down on average. @param forest  Of one tree.
double mean_depth(const records::RecordForest& forest, const records::RecordView& records);
/// Most threads of a record group with which speculation can pay: 2 d / (1 + log2 d) (eq. 1).
/// @param mean_depth  At least 1.
double speculation_bound(double mean_depth);
/// Trees of so many tests on attribute 0 whose leaves values in [0, 1) reach alike: as flat or as deep as can be.
records::RecordForest balanced_tree(int levels, std::size_t num_attributes);
records::RecordForest chain_tree(int tests, std::size_t num_attributes);

OneTreeStudy run_one_tree_study(const records::RecordTable& table, const OneTreeOptions& options, ThreadPool& pool,
                                const ProgressCallback& progress);

std::string one_tree_study_text(const OneTreeStudy& study);
nlohmann::json one_tree_study_json(const OneTreeStudy& study);

}  // namespace fernwood::lab
