// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/progress_meter.h"

#include <algorithm>

namespace fernwood::train {

namespace {
constexpr std::chrono::milliseconds kPause{50};
}

void ProgressMeter::start(const TrainProgress& state, double expected) {
  const std::lock_guard lock(mutex_);
  if (state.phase != state_.phase) done_ = 0;
  state_ = state;
  expected_ = expected;
  tell();
}

void ProgressMeter::add(double work) {
  if (!hooks_.progress) return;
  const std::lock_guard lock(mutex_);
  done_ += work;
  if (std::chrono::steady_clock::now() - last_ >= kPause) tell();
}

void ProgressMeter::tell() {
  if (!hooks_.progress) return;
  last_ = std::chrono::steady_clock::now();
  state_.done = expected_ > 0 ? std::min(1.0, done_ / expected_) : 0;
  hooks_.progress(state_);
}

}  // namespace fernwood::train
