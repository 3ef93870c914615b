// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>
#include <mutex>

#include "fernwood/train/train.h"

namespace fernwood::train {

/// Collects work done on many threads and calls the hook, from one thread at a time and not too often.
class ProgressMeter {
 public:
  explicit ProgressMeter(const TrainHooks& hooks) : hooks_(hooks) {}

  /// Starts a phase, tree or level; `expected` is all work of the phase, as far as one can tell.
  void start(const TrainProgress& state, double expected);
  /// Adds work done, in the unit of `expected`.
  void add(double work);

 private:
  void report();

  const TrainHooks& hooks_;
  std::mutex mutex_;
  TrainProgress state_;
  double done_ = 0, expected_ = 1;
  std::chrono::steady_clock::time_point last_{};
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
