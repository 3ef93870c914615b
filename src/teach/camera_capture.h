// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "fernwood/recordings/frame_source.h"
#include "web/page.h"

namespace fernwood::teach {

/// Callbacks of capture_camera(), on its thread.
struct WatchHooks {
  std::function<void(recordings::CapturedFrame frame)> seen = {};
  /// Receives the problem with the source, or "" when it works again. If the source is lost for good, the last one
  /// remains.
  std::function<void(const std::string& sentence)> trouble = {};
};

/// Captures a camera or a recording on a thread of its own, until that is stopped: the newest frame wins, and a camera
/// that fails is reopened as by `fernwood live`.
std::jthread capture_camera(std::shared_ptr<recordings::FrameSource> source, const recordings::CaptureOptions& options,
                            WatchHooks hooks);

/// The newest frames of a running camera for the pages, numbered from 1. For the server's thread.
class CameraView {
 public:
  struct Seen {
    std::uint64_t number = 0;
    recordings::CapturedFrame captured;
    std::map<std::string, web::WebAnswer> pictures = {};  ///< Encoded on request.
  };

  /// @return  The frame's number.
  std::uint64_t take(recordings::CapturedFrame frame);
  /// The frame of that number, or the newest if it was dropped. @throws Error(kUsage) before the first frame.
  Seen& find(std::uint64_t number);
  /// Returns /camera/12/color and /camera/12/depth as JPEG. @throws Error(kUsage) for anything else.
  web::WebAnswer get(const std::string& address);

 private:
  std::deque<Seen> recent_;  // the newest last
  std::uint64_t num_seen_ = 0;
};

}  // namespace fernwood::teach
