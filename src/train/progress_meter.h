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

/// Collects work done on many threads and calls the hook, from one thread at a time and not too often. On the first of
/// several ranks, which all go through the same phases, it is told of the work of all.
class ProgressMeter {
 public:
  /// @param ranks  Null: this one works alone. @param clock  Tells whether the hook was called a moment ago.
  explicit ProgressMeter(const TrainHooks& hooks, Communicator* ranks = nullptr, SecondsClock clock = seconds_now);
  ~ProgressMeter();
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  /// Starts a phase, tree or level; `expected` is all work of the phase, as far as one can tell.
  void start(const TrainProgress& state, double expected);
  /// Adds work done, in the unit of `expected`.
  void add(double work);

 private:
  bool leads() const { return ranks_ && ranks_->rank() == 0; }
  double share_done() const { return expected_ > 0 ? std::min(1.0, done_ / expected_) : 0; }
  double share_done_by_all() const;
  void report();

  const TrainHooks& hooks_;
  Communicator* const ranks_;  // null: alone
  std::mutex mutex_;
  TrainProgress state_;
  int phase_ = 0;             // how many there were before
  std::vector<double> told_;  // [rank] its phase and share of that; on the first one, but for itself
  double done_ = 0, expected_ = 1;
  const SecondsClock clock_;
  double last_s_ = -std::numeric_limits<double>::infinity();
};

/// Tells a meter how far growing is, with an estimate of all the responses that it takes: a tree's next levels as many
/// as this one, and other trees as many as those before them.
class GrowingProgress {
 public:
  explicit GrowingProgress(ProgressMeter& meter) : meter_(meter) {}

  /// @param state      What the hook is told of the level.
  /// @param responses  That the level takes.
  /// @param trees      That follow this one.
  void begin_level(const TrainProgress& state, double responses, std::size_t trees);
  /// @param responses  That the level took. @param tree_done  Whether it was the tree's last level.
  void end_level(double responses, bool tree_done);

 private:
  ProgressMeter& meter_;
  double in_whole_trees_ = 0, in_this_tree_ = 0;  // responses
  int num_whole_trees_ = 0;                       // in this run; trees from before a resume have no known work
};

}  // namespace fernwood::train
