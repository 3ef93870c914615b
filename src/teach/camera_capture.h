// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "fernwood/predict/live.h"

namespace fernwood::teach {

/// What a CameraCapture calls, on its own thread.
struct WatchHooks {
  std::function<void(dataset::CapturedFrame frame)> seen = {};
  /// What is wrong with the source, "" when it is right again. The last one stays where the source is lost for good.
  std::function<void(const std::string& sentence)> trouble = {};
};

/// Looks at a camera or a recording on a thread of its own: the newest frame wins, and a camera that fails is opened
/// again as `fernwood live` does it.
class CameraCapture {
 public:
  /// @param options  As of predict::run_live().
  CameraCapture(std::shared_ptr<dataset::FrameSource> source, const predict::LiveOptions& options, WatchHooks hooks);

 private:
  std::jthread thread_;
};

}  // namespace fernwood::teach
