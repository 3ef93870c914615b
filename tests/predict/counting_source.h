// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A source, a predictor and an output that are simple enough for every label of a run to be known in advance.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "dataset/test_files.h"
#include "fernwood/core/progress.h"
#include "fernwood/predict/live.h"

namespace fernwood::predict {

using std::chrono::milliseconds;
using Numbers = std::vector<int>;

/// Frames of one pixel, whose depth is the number of the frame, from 1 on.
class Counting : public recordings::FrameSource {
 public:
  explicit Counting(int num_frames, bool is_live = false) : num_frames_(num_frames), is_live_(is_live) {}
  std::optional<recordings::CapturedFrame> next() override {
    if (stopped_ || count_ == num_frames_) return std::nullopt;
    ++count_;
    return numbered(count_, 1);
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return false; }
  bool has_depth() const override { return true; }
  bool is_live() const override { return is_live_; }
  std::string name() const override { return "counting"; }

  static recordings::CapturedFrame numbered(int number, std::size_t size) {
    auto frame = std::make_shared<image::Frame>();
    frame->depth_mm = Array2<std::uint16_t>(size, size, static_cast<std::uint16_t>(number));
    return {frame, static_cast<double>(number), std::to_string(number)};
  }

 protected:
  std::atomic<bool> stopped_ = false;
  int count_ = 0, num_frames_;
  bool is_live_;
};

/// A source that calls `trouble` in place of frame number `at`.
class Troubled : public Counting {
 public:
  Troubled(int at, std::function<std::optional<recordings::CapturedFrame>()> trouble)
      : Counting(1000), at_(at), trouble_(std::move(trouble)) {}
  std::optional<recordings::CapturedFrame> next() override { return count_ + 1 == at_ ? trouble_() : Counting::next(); }

 private:
  int at_;
  std::function<std::optional<recordings::CapturedFrame>()> trouble_;
};

/// Returns the depth of each pixel as its label.
class Echo : public Predictor {
 public:
  explicit Echo(milliseconds work = milliseconds(0)) : work_(work) {}
  Prediction predict(const image::FrameImages& frame, const PredictRequest&) override {
    std::this_thread::sleep_for(work_);
    Prediction out;
    out.labels = image::copy_of(frame).depth_mm;
    return out;
  }

 private:
  milliseconds work_;
};

/// A clock that advances only by calls of advance().
class SetClock {
 public:
  double now() const { return now_s_; }
  void advance(double seconds) { now_s_ = now_s_ + seconds; }
  SecondsClock asked() {
    return [this] { return now(); };
  }

 private:
  std::atomic<double> now_s_ = 1000;
};

class Collector : public LiveOutput {
 public:
  void captured(const recordings::CapturedFrame& frame) override {
    arrived.push_back(static_cast<int>(frame.time_s));
    times_s.push_back(frame.time_s);
  }
  void trouble(const std::string& why) override { news.push_back(why.empty() ? "back" : why); }
  bool show(const LiveFrame& frame, const LiveReport&) override {
    labels.push_back(frame.prediction.labels(0, 0));
    return labels.back() != quit_at;
  }
  Numbers arrived, labels;
  std::vector<double> times_s;
  std::vector<std::string> news;
  int quit_at = -1;
};

inline Numbers up_to(int last) {
  Numbers numbers;
  for (int i = 1; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

inline const LiveOptions kEvery{.capture = {.every_frame = true}};

}  // namespace fernwood::predict
