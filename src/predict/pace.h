// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace fernwood::predict {

/// When the frames of a recording are due.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param rate_hz      Frames a second; 0: as fast as they can be had.
  /// @param as_recorded  At the times that the frames carry, instead.
  Pace(double rate_hz, bool as_recorded)
      : period_(as_recorded || rate_hz <= 0 ? Clock::duration{} : duration_of(1 / rate_hz)),
        as_recorded_(as_recorded) {}

  /// When the next frame may be asked for.
  Clock::time_point due() const { return due_; }
  /// It is asked for. What could not be kept up with is not caught up with.
  void ask() { due_ = std::max(due_, Clock::now() - period_) + period_; }
  /// When a frame that was taken at `time_s` may be passed on. Where times go back, a loop begins anew.
  Clock::time_point due_at(double time_s) {
    if (!as_recorded_) return {};
    if (!start_ || time_s < last_time_s_) start_ = {Clock::now(), time_s};
    last_time_s_ = time_s;
    return start_->at + duration_of(time_s - start_->time_s);
  }
  /// Somebody paused until now.
  void begin_anew() {
    due_ = std::max(due_, Clock::now());
    start_.reset();
  }

 private:
  struct Start {
    Clock::time_point at;
    double time_s = 0;
  };

  static Clock::duration duration_of(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  Clock::duration period_;
  bool as_recorded_;
  Clock::time_point due_ = Clock::now();
  std::optional<Start> start_;
  double last_time_s_ = 0;
};

}  // namespace fernwood::predict
