// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/bounded_queue.h"
#include "predict/capture_stage.h"

namespace fernwood::predict {

/// Captures from a source and looks after it: a camera that fails or stalls is opened again, once a second, for as long
/// as the options say; its frames go on where they stopped. All but what a FrameTaker does is for one thread.
class SteadyCapture : private FrameTaker {
 public:
  SteadyCapture(std::shared_ptr<dataset::FrameSource> source, LiveSink& sink, const LiveOptions& options);
  ~SteadyCapture() override { stop(); }

  /// Frames come out here; closed when no more will come.
  BoundedQueue<LiveFrame>& out() { return out_; }
  void hold(bool held);
  /// To be called between frames: notices that the source has ended, failed or come back, and tells the sink.
  void watch();
  std::size_t num_captured() const { return num_captured_; }
  std::size_t num_reconnects() const { return num_reconnects_; }
  /// Ends the thread, or leaves it behind. Afterwards failure() is known.
  void stop();
  /// What went wrong, if anything.
  std::exception_ptr failure() const { return failure_; }

 private:
  bool wants_frame() override { return out_.wait_until_not_full(); }
  bool take(dataset::CapturedFrame captured, double capture_s) override;
  void check_size(const dataset::CapturedFrame& captured);
  double continued(double time_s, double now);

  void start(CaptureStage::OpenSource open);
  std::optional<Error> trouble() const;
  void lose(const Error& trouble);
  void seek(bool has_trouble);
  void end(std::exception_ptr failure);

  LiveSink& sink_;
  const LiveOptions options_;
  const std::string name_;
  const bool may_come_back_;
  BoundedQueue<LiveFrame> out_;
  std::unique_ptr<CaptureStage> stage_;  // null while a lost camera is waited for
  std::exception_ptr failure_;
  bool is_over_ = false;

  // While the camera is lost.
  bool is_lost_ = false;
  std::string why_lost_;
  double lost_at_ = 0, tried_at_ = 0;
  std::size_t captured_before_ = 0, num_reconnects_ = 0;

  // Of the stage's thread, one after another.
  std::atomic<std::size_t> num_captured_ = 0;
  std::size_t rows_ = 0, cols_ = 0;
  bool is_reopened_ = false;
  double time_shift_s_ = 0, last_time_s_ = 0, last_taken_at_ = 0;
};

}  // namespace fernwood::predict
