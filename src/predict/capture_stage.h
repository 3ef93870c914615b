// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "fernwood/core/error.h"
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

}  // namespace fernwood::predict
