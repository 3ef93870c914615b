// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/progress_meter.h"

#include <algorithm>
#include <span>
#include <utility>

namespace fernwood::train {

namespace {
constexpr double kPauseS = 0.05;
}

ProgressMeter::ProgressMeter(const TrainHooks& hooks, Communicator* ranks, SecondsClock clock)
    : hooks_(hooks), ranks_(ranks && ranks->size() > 1 ? ranks : nullptr), clock_(std::move(clock)) {
  if (ranks_) state_.ranks = ranks_->size();
  if (!leads() || !hooks_.progress) return;
  ranks_->when_told([this](std::span<const double> told) {
    const std::lock_guard lock(mutex_);
    told_.assign(told.begin(), told.end());
    report();
  });
}

ProgressMeter::~ProgressMeter() {
  if (leads()) ranks_->when_told({});
}

void ProgressMeter::start(const TrainProgress& state, double expected) {
  const std::lock_guard lock(mutex_);
  if (state.phase != state_.phase) {
    done_ = 0;
    ++phase_;
  }
  const int num_ranks = state_.ranks;
  state_ = state;
  state_.ranks = num_ranks;
  expected_ = expected;
  report();
}

void ProgressMeter::add(double work) {
  if (!hooks_.progress && !ranks_) return;
  const std::lock_guard lock(mutex_);
  done_ += work;
  if (clock_() - last_s_ >= kPauseS) report();
}

/// Other ranks may briefly be one phase behind or ahead.
double ProgressMeter::share_done_by_all() const {
  if (told_.empty()) return share_done();
  double sum = share_done();
  for (std::size_t rank = 1; rank < told_.size(); ++rank) sum += std::clamp(told_[rank] - phase_, 0.0, 1.0);
  return sum / static_cast<double>(told_.size());
}

void ProgressMeter::report() {
  last_s_ = clock_();
  if (ranks_ && !leads()) ranks_->tell_progress(phase_ + share_done());
  if (!hooks_.progress) return;
  state_.done = share_done_by_all();
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
