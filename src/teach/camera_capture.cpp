// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/camera_capture.h"

#include <algorithm>
#include <stop_token>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"
#include "recordings/capture.h"

namespace fernwood::teach {

namespace {

constexpr std::chrono::milliseconds kLookEvery{20};

void watch(std::shared_ptr<recordings::FrameSource> source, const recordings::CaptureOptions& options,
           const WatchHooks& hooks, const std::stop_token& stop) {
  const std::string name = source->name();
  const auto warn = [&](const OptionSentence& sentence) { hooks.trouble(sentence.on_command_line()); };
  recordings::Capture capture(std::move(source), options, {.warn = warn, .trouble = hooks.trouble});
  while (!stop.stop_requested() && !capture.out().is_finished()) {
    capture.watch();
    if (auto frame = capture.out().pop_for(kLookEvery)) hooks.seen(std::move(frame->captured));
  }
  capture.stop();
  if (stop.stop_requested()) return;
  if (capture.failure()) std::rethrow_exception(capture.failure());
  hooks.trouble(name + " has ended");
}

/// A page may still draw one frame while newer ones arrive, and a user may keep a frame seen a moment ago.
constexpr std::size_t kRecentFrames = 16;

}  // namespace

std::jthread capture_camera(std::shared_ptr<recordings::FrameSource> source, const recordings::CaptureOptions& options,
                            WatchHooks hooks) {
  return std::jthread(
      [source = std::move(source), options, hooks = std::move(hooks)](const std::stop_token& stop) mutable {
        try {
          watch(std::move(source), options, hooks, stop);
        } catch (const std::exception& failure) {  // teaching continues without the camera
          hooks.trouble(failure.what());
        }
      });
}

std::uint64_t CameraView::take(recordings::CapturedFrame frame) {
  recent_.push_back({++num_seen_, std::move(frame)});
  if (recent_.size() > kRecentFrames) recent_.pop_front();
  return num_seen_;
}

CameraView::Seen& CameraView::find(std::uint64_t number) {
  FW_CHECK(!recent_.empty(), Usage, "there is no camera, or it has given no frame yet");
  const auto found = std::ranges::find(recent_, number, &Seen::number);
  return found == recent_.end() ? recent_.back() : *found;
}

web::WebAnswer CameraView::get(const std::string& address) {
  const auto number = web::number_between(address, "/camera/", "/");
  FW_CHECK(number, Usage, "there is nothing at " << address.substr(0, 100));
  Seen& seen = find(*number);
  const std::string what = address.substr(address.rfind('/') + 1);
  if (const auto known = seen.pictures.find(what); known != seen.pictures.end()) return known->second;
  const image::Frame& frame = *seen.captured.frame;
  if (what == "color" && !frame.color.empty()) return seen.pictures[what] = web::picture_answer(frame.color);
  if (what == "depth" && !frame.depth_mm.empty())
    return seen.pictures[what] = web::picture_answer(dataset::colorize_depth(frame.depth_mm));
  throw Error(ErrorKind::kUsage, "the camera has no image of that name");
}

}  // namespace fernwood::teach
