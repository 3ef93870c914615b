// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/progress.h"
#include "fernwood/train/train.h"

namespace fernwood::train {

/// Accumulates the work of many threads and calls the progress hook, from one thread at a time and at a limited rate.
/// With several ranks, which all pass through the same phases, the hook of rank 0 receives the progress of all.
class ProgressMeter {
 public:
  /// @param ranks  Null: a single rank. @param clock  Limits the rate of calls to the hook.
  explicit ProgressMeter(const TrainHooks& hooks, Communicator* ranks = nullptr, SecondsClock clock = seconds_now);
  ~ProgressMeter();
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  /// Starts a phase, tree or level; `expected` is the estimated total work of the phase.
  void start(const TrainProgress& state, double expected);
  /// Adds work done, in the unit of `expected`.
  void add(double work);

 private:
  bool leads() const { return ranks_ && ranks_->rank() == 0; }
  double share_done() const { return expected_ > 0 ? std::min(1.0, done_ / expected_) : 0; }
  double share_done_by_all() const;
  void report();

  const TrainHooks& hooks_;
  Communicator* const ranks_;  // null for a single rank
  std::mutex mutex_;
  TrainProgress state_;
  int phase_ = 0;             // number of phases before this one
  std::vector<double> told_;  // [rank] index of its phase plus the share done; only on rank 0, whose own entry is
                              // unused
  double done_ = 0, expected_ = 1;
  const SecondsClock clock_;
  double last_s_ = -std::numeric_limits<double>::infinity();
};

/// Reports growing progress to a meter, with an estimate of the total number of responses: further levels of a tree are
/// assumed to take as many as this one, and further trees as many as the finished ones did on average.
class GrowingProgress {
 public:
  explicit GrowingProgress(ProgressMeter& meter) : meter_(meter) {}

  /// @param state      Passed to the hook.
  /// @param responses  Number that the level takes.
  /// @param trees      Number of trees after this one.
  void begin_level(const TrainProgress& state, double responses, std::size_t trees);
  /// @param responses  Number that the level took. @param tree_done  Whether it was the tree's last level.
  void end_level(double responses, bool tree_done);

 private:
  ProgressMeter& meter_;
  double in_whole_trees_ = 0, in_this_tree_ = 0;  // responses
  int num_whole_trees_ = 0;                       // in this run; the work of trees from before a resume is not known
};

}  // namespace fernwood::train
