// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "fernwood/predict/live.h"

namespace fernwood::teach {

/// Callbacks of a CameraCapture, on its own thread.
struct WatchHooks {
  std::function<void(recordings::CapturedFrame frame)> seen = {};
  /// Receives the problem with the source, or "" when it works again. If the source is lost for good, the last one
  /// remains.
  std::function<void(const std::string& sentence)> trouble = {};
};

/// Captures a camera or a recording on a thread of its own: the newest frame wins, and a camera that fails is reopened
/// as by `fernwood live`.
class CameraCapture {
 public:
  /// @param options  As for predict::run_live().
  CameraCapture(std::shared_ptr<recordings::FrameSource> source, const predict::LiveOptions& options, WatchHooks hooks);

 private:
  std::jthread thread_;
};

}  // namespace fernwood::teach
