// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>
#include <mutex>

#include "fernwood/train/train.h"

namespace fernwood::train {

/// Collects work done on many threads and tells the hook about it, from one thread at a time and not too often.
class ProgressMeter {
 public:
  explicit ProgressMeter(const TrainHooks& hooks) : hooks_(hooks) {}

  /// Starts a phase, tree or level; `expected` is all work of the phase, as far as one can tell.
  void start(const TrainProgress& state, double expected);
  /// Adds work done, in the unit of `expected`.
  void add(double work);

 private:
  void tell();

  const TrainHooks& hooks_;
  std::mutex mutex_;
  TrainProgress state_;
  double done_ = 0, expected_ = 1;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace fernwood::train
