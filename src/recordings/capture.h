// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/bounded_queue.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::recordings {

/// A frame and the times of its capture.
struct TimedFrame {
  CapturedFrame captured;
  double capture_s = 0;    ///< Time in the source: waiting for a camera, or decoding.
  double captured_at = 0;  ///< seconds_now() when the source delivered the frame.
};

/// What a Capture tells; each may be empty.
struct CaptureHooks {
  /// Receives each frame, including those dropped later, on the capturing thread, which is blocked meanwhile.
  /// @return  False: no further frame is wanted.
  std::function<bool(const CapturedFrame& frame)> captured = {};
  /// Receives a warning on implausible depth in the first frames, or one of a live source, on the capturing thread.
  std::function<void(const OptionSentence& sentence)> warn = {};
  /// Receives why the camera is lost, and "" when it is back, on the thread that calls watch().
  std::function<void(const std::string& why)> trouble = {};
};

/// A camera, or a recording, on a thread of its own. A camera that fails or stalls is reopened, with one attempt per
/// second, for the time that the options allow; frame times continue where they stopped. If the source never returns,
/// its thread is detached. All functions must be called from one thread; out() may be read from another.
class Capture {
 public:
  /// Starts capturing.
  Capture(std::shared_ptr<FrameSource> source, const CaptureOptions& options, CaptureHooks hooks);
  ~Capture() { stop(); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Output queue of frames; closed after the last.
  BoundedQueue<TimedFrame>& out() { return out_; }
  /// Call between frames: checks whether the source has ended, failed or come back.
  void watch();
  /// Pauses a recording while `held`; a camera continues.
  void hold(bool held);
  /// Ends capture as at the end of the source: the frames captured before remain in the queue, which watch() closes.
  void request_stop();
  /// Ends the thread, or detaches it if the source does not return within a second. Afterwards failure() is final.
  void stop();
  /// The failure, if any.
  std::exception_ptr failure() const { return failure_; }
  std::size_t num_captured() const { return num_captured_; }
  std::size_t num_reconnects() const { return num_reconnects_; }

 private:
  using OpenSource = std::function<std::shared_ptr<FrameSource>()>;
  struct Opening;

  void open(OpenSource open_source);
  void close();
  void lose(const Error& trouble);
  void seek(bool is_broken);
  void end(std::exception_ptr failure);

  // On the capturing thread.
  void capture_frames(Opening& opening);
  bool take(CapturedFrame captured, double capture_s);
  void check_size(const CapturedFrame& captured);
  void check_depth(const CapturedFrame& captured);
  double continued(double time_s, double now);

  const CaptureOptions options_;
  const CaptureHooks hooks_;
  const std::string name_;
  const bool may_come_back_;
  BoundedQueue<TimedFrame> out_;
  std::shared_ptr<Opening> opening_;  // null while waiting to reopen a lost camera
  std::thread thread_;                // of the opening
  std::exception_ptr failure_;
  bool is_stopping_ = false, is_over_ = false;

  // State while the camera is lost.
  bool is_lost_ = false;
  std::string why_lost_;
  double lost_at_ = 0, tried_at_ = 0;
  std::size_t captured_before_ = 0, num_reconnects_ = 0;

  // Accessed by the capturing thread; these threads run one after another.
  std::atomic<std::size_t> num_captured_ = 0;
  std::size_t rows_ = 0, cols_ = 0;
  bool is_reopened_ = false;
  std::optional<dataset::DepthHistogram> first_depths_{dataset::DepthOrigin::kSource};  // empty: checked
  double time_shift_s_ = 0, last_time_s_ = 0, last_taken_at_ = 0;
};

}  // namespace fernwood::recordings
