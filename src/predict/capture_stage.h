// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "fernwood/core/mailbox.h"
#include "fernwood/predict/live.h"

namespace fernwood {

/// The first stage: takes frames from a source on a thread of its own. A source that never returns from next() is left
/// behind with its thread, which then touches nothing but what it shares with the source.
class CaptureStage {
 public:
  CaptureStage(std::shared_ptr<FrameSource> source, LiveSink& sink, const LiveOptions& options);
  ~CaptureStage();
  CaptureStage(const CaptureStage&) = delete;
  CaptureStage& operator=(const CaptureStage&) = delete;

  /// Frames come out here; closed when the source has ended or failed.
  Mailbox<LiveFrame>& out();
  /// A recording stands still while held; a camera goes on.
  void hold(bool held);
  /// Seconds that the source has been asked for a frame without giving one; 0 when it is not asked.
  double waiting_s() const;
  std::size_t num_captured() const;
  /// When the first frame was asked for.
  double started_at() const;
  /// Ends the thread, or leaves it behind when the source does not come back within a moment.
  /// Afterwards failure() is known.
  void stop();
  std::exception_ptr failure() const;

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared, LiveSink& sink);
  static void capture_all(Shared& shared, LiveSink& sink);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace fernwood
