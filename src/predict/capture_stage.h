// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/bounded_queue.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/depth_check.h"
#include "fernwood/predict/live.h"

namespace fernwood::predict {

/// Who takes the frames of a CaptureStage; asked on the stage's thread.
class FrameTaker {
 public:
  virtual ~FrameTaker() = default;
  /// Waits until there is room: taken before, a frame would only grow older. False: no more frames are wanted.
  virtual bool wants_frame() = 0;
  /// @param capture_s  Seconds that the source took. @return  False: it was the last.
  virtual bool take(dataset::CapturedFrame captured, double capture_s) = 0;
};

/// The first stage: opens a source and takes its frames on a thread of its own. A source that never returns is left
/// behind with its thread, which then touches nothing but what it shares with the source.
class CaptureStage {
 public:
  using OpenSource = std::function<std::shared_ptr<dataset::FrameSource>()>;

  /// @param taker  Must outlive this.
  CaptureStage(OpenSource open, FrameTaker& taker, const LiveOptions& options);
  ~CaptureStage();
  CaptureStage(const CaptureStage&) = delete;
  CaptureStage& operator=(const CaptureStage&) = delete;

  /// A recording stands still while held; a camera goes on.
  void hold(bool held);
  /// Seconds that the source has been opened, or asked for a frame, without an answer; 0 when nobody waits for it.
  double waiting_s() const;
  /// No more frames come: the source has ended or failed, or enough were taken.
  bool has_ended() const;
  /// What the source said when it could not be opened, or could give no more frames though its data are right.
  std::optional<Error> source_error() const;
  /// Whatever else went wrong.
  std::exception_ptr failure() const;
  /// Ends the thread, or leaves it behind when the source does not come back within a moment.
  void stop();

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared, FrameTaker& taker);
  static void capture_all(Shared& shared, FrameTaker& taker);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

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
  void check_depth(const dataset::CapturedFrame& captured);
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
  std::optional<dataset::DepthHistogram> first_depths_{dataset::DepthOrigin::kSource};  // empty: judged
  double time_shift_s_ = 0, last_time_s_ = 0, last_taken_at_ = 0;
};

}  // namespace fernwood::predict
