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
#include "fernwood/dataset/dataset.h"
#include "fernwood/predict/live.h"

namespace fernwood::predict {

/// Receiver of the frames of a CaptureStage; called on the stage's thread.
class FrameTaker {
 public:
  virtual ~FrameTaker() = default;
  /// Waits until a frame can be accepted: a frame captured earlier would only become stale. False: end capture.
  virtual bool wants_frame() = 0;
  /// @param capture_s  Seconds that the source took. @return  False: end capture.
  virtual bool take(recordings::CapturedFrame captured, double capture_s) = 0;
  /// Receives a warning of a live source that it did not have before its first frame.
  virtual void warn(const std::string& sentence) = 0;
};

/// The first stage: opens a source and captures its frames in a separate thread. If the source never returns, the
/// thread is detached; it then accesses only state that it shares with the source.
class CaptureStage {
 public:
  using OpenSource = std::function<std::shared_ptr<recordings::FrameSource>()>;

  /// @param taker  Must outlive the stage.
  CaptureStage(OpenSource open, FrameTaker& taker, const LiveOptions& options);
  ~CaptureStage();
  CaptureStage(const CaptureStage&) = delete;
  CaptureStage& operator=(const CaptureStage&) = delete;

  /// Pauses a recording while `held`; a camera continues.
  void hold(bool held);
  /// Seconds for which the current call to the source (open, next frame or close) has been pending; 0 if none is.
  double waiting_s() const;
  /// Whether capture has ended: the source has ended or failed, or enough frames were captured.
  bool has_ended() const;
  /// Whether the taker will receive no further frame: capture has ended, or after request_stop() only a call to the
  /// source is pending, whose frame is discarded.
  bool has_taken_last() const;
  /// The source's error if it could not be opened, or a device or runtime error while it delivered frames.
  std::optional<Error> source_error() const;
  /// Any other failure.
  std::exception_ptr failure() const;
  /// Makes capture end soon, without waiting for it.
  void request_stop();
  /// Ends the thread, or detaches it if the source does not return within a second.
  void stop();

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared, FrameTaker& taker);
  static void capture_all(Shared& shared, FrameTaker& taker);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

/// Captures from a source and supervises it: a camera that fails or stalls is reopened, with one attempt per second,
/// for the time that the options allow; frame times continue where they stopped. All functions except those of
/// FrameTaker must be called from one thread.
class SteadyCapture : private FrameTaker {
 public:
  SteadyCapture(std::shared_ptr<recordings::FrameSource> source, LiveSink& sink, const LiveOptions& options);
  ~SteadyCapture() override { stop(); }

  /// Output queue of frames; closed after the last.
  BoundedQueue<LiveFrame>& out() { return out_; }
  void hold(bool held);
  /// Ends capture as at the end of the source: the frames captured before remain in the queue, which watch() closes.
  void request_stop();
  /// Call between frames: checks whether the source has ended, failed or come back, and notifies the sink.
  void watch();
  std::size_t num_captured() const { return num_captured_; }
  std::size_t num_reconnects() const { return num_reconnects_; }
  /// Ends or detaches the thread. Afterwards failure() is final.
  void stop();
  /// The failure, if any.
  std::exception_ptr failure() const { return failure_; }

 private:
  bool wants_frame() override { return out_.wait_until_not_full(); }
  bool take(recordings::CapturedFrame captured, double capture_s) override;
  void warn(const std::string& sentence) override { sink_.warn(sentence); }
  void check_size(const recordings::CapturedFrame& captured);
  void check_depth(const recordings::CapturedFrame& captured);
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
  std::unique_ptr<CaptureStage> stage_;  // null while waiting to reopen a lost camera
  std::exception_ptr failure_;
  bool is_stopping_ = false, is_over_ = false;

  // State while the camera is lost.
  bool is_lost_ = false;
  std::string why_lost_;
  double lost_at_ = 0, tried_at_ = 0;
  std::size_t captured_before_ = 0, num_reconnects_ = 0;

  // Accessed by the stage's thread; stages run one after another.
  std::atomic<std::size_t> num_captured_ = 0;
  std::size_t rows_ = 0, cols_ = 0;
  bool is_reopened_ = false;
  std::optional<dataset::DepthHistogram> first_depths_{dataset::DepthOrigin::kSource};  // empty: checked
  double time_shift_s_ = 0, last_time_s_ = 0, last_taken_at_ = 0;
};

}  // namespace fernwood::predict
