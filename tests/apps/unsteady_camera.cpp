// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// A test plug-in for the source `unsteady:WHAT`: a camera that fails after three frames. When reopened it returns three
// more and ends, unless WHAT is "gone" (cannot be reopened); with "stalled" it blocks instead of failing.

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "fernwood/core/error.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::apps {
namespace {

int num_opened = 0;

class UnsteadyCamera : public recordings::FrameSource {
 public:
  explicit UnsteadyCamera(std::string what) : what_(std::move(what)), is_first_(num_opened++ == 0) {
    FW_CHECK(is_first_ || what_ != "gone", Device, name() << ": there is no such camera");
  }
  std::optional<recordings::CapturedFrame> next() override {
    while (is_first_ && count_ == 3 && what_ == "stalled") std::this_thread::sleep_for(std::chrono::seconds(1));
    FW_CHECK(!is_first_ || count_ < 3, Device, name() << ": the camera was disconnected; check its cable");
    if (count_ == 3) return std::nullopt;
    auto frame = std::make_shared<image::Frame>();
    frame->color = Array2<image::Rgb>(48, 64, {static_cast<std::uint8_t>(++count_), 90, 30});
    frame->depth_mm = Array2<std::uint16_t>(48, 64, 1500);
    std::fill_n(frame->depth_mm.begin(), 64, std::uint16_t{1600});
    return recordings::CapturedFrame{frame, count_ / 30.0, "frame " + std::to_string(count_)};
  }
  bool has_color() const override { return true; }
  bool has_depth() const override { return true; }
  bool is_live() const override { return true; }
  std::string name() const override { return "unsteady camera"; }

 private:
  std::string what_;
  bool is_first_;
  int count_ = 0;
};

}  // namespace
}  // namespace fernwood::apps

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

fernwood::recordings::FrameSource* fernwood_open_source(const char* place, const fernwood::recordings::SourceOptions*) {
  return new fernwood::apps::UnsteadyCamera(place);
}
}
