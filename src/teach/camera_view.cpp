// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/camera_view.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::teach {

namespace {

/// A page may still draw one frame while newer ones arrive, and a user may keep a frame seen a moment ago.
constexpr std::size_t kRecentFrames = 16;

}  // namespace

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
  throw Error(ErrorKind::kUsage, "the camera has no picture of that name");
}

}  // namespace fernwood::teach
