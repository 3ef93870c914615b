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
  report();
}

void ProgressMeter::add(double work) {
  if (!hooks_.progress) return;
  const std::lock_guard lock(mutex_);
  done_ += work;
  if (std::chrono::steady_clock::now() - last_ >= kPause) report();
}

void ProgressMeter::report() {
  if (!hooks_.progress) return;
  last_ = std::chrono::steady_clock::now();
  state_.done = expected_ > 0 ? std::min(1.0, done_ / expected_) : 0;
  hooks_.progress(state_);
}

void GrowingProgress::begin_level(const TrainProgress& state, double responses, std::size_t trees) {
  const double this_tree = in_this_tree_ + responses * (state.max_depth - state.level);
  const double a_tree = num_whole_trees_ > 0 ? in_whole_trees_ / num_whole_trees_ : this_tree;
  meter_.start(state, in_whole_trees_ + this_tree + static_cast<double>(trees) * a_tree);
}

void GrowingProgress::end_level(double responses, bool tree_done) {
  in_this_tree_ += responses;
  if (!tree_done) return;
  in_whole_trees_ += in_this_tree_;
  in_this_tree_ = 0;
  ++num_whole_trees_;
}

}  // namespace fernwood::train
