// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in freenect: the source `freenect:N`, Microsoft's first Kinect by libfreenect; only this file uses it. Its
// fakenect replays recordings: LD_PRELOAD its libfreenect.so, and set FAKENECT_PATH to a recording. Recordings contain
// the sensor's 11-bit disparities, which are not registered to colour, so that labels of a replay are inaccurate.

#include <libfreenect.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fernwood/core/error.h"
#include "plugins/source_plugin.h"

namespace fernwood::apps {

namespace {

constexpr std::size_t kRows = 480, kCols = 640;
constexpr timeval kLookEvery{0, 100000};

bool is_replay() { return std::getenv("FAKENECT_PATH") != nullptr; }

/// Depth in millimetres for each 11-bit disparity, 0 for unknown: S. Magnenat's fit, as in the OpenKinect wiki.
std::vector<std::uint16_t> make_depth_table() {
  constexpr int kPole = 1093;  // from here on the fit gives no valid depth; 2047 is unknown
  std::vector<std::uint16_t> table(65536);
  for (int disparity = 0; disparity < kPole; ++disparity) {
    const double depth_mm = 123.6 * std::tan(disparity / 2842.5 + 1.1863);
    if (depth_mm < 10000) table[static_cast<std::size_t>(disparity)] = static_cast<std::uint16_t>(depth_mm + 0.5);
  }
  return table;
}

/// The number of a camera; "" selects the first.
int index_of(const std::string& place) {
  const bool is_number = place.size() < 4 && std::ranges::all_of(place, [](char c) { return c >= '0' && c <= '9'; });
  FW_CHECK(is_number, Usage, "freenect:" << place << ": write freenect:N with the number of the camera, from 0 on");
  return place.empty() ? 0 : std::stoi(place);
}

class Kinect : public recordings::FrameSource {
 public:
  Kinect(const std::string& place, const recordings::SourceOptions&) : place_(place) {
    const int index = index_of(place);
    FW_CHECK(freenect_init(&context_, nullptr) == 0, Device,
             "freenect cannot be used here (USB is not accessible); check the permissions of /dev/bus/usb");
    try {
      start(index);
    } catch (...) {
      end();
      throw;
    }
  }
  ~Kinect() override { end(); }
  Kinect(const Kinect&) = delete;
  Kinect& operator=(const Kinect&) = delete;

  std::optional<recordings::CapturedFrame> next() override {
    frame_ = std::make_shared<image::Frame>();
    while (!stopped_ && (frame_->color.empty() || frame_->depth_mm.empty())) {
      timeval timeout = kLookEvery;
      if (freenect_process_events_timeout(context_, &timeout) >= 0) continue;
      if (is_replay()) return std::nullopt;  // end of the recording
      throw Error(ErrorKind::kDevice, name() + ": the camera was disconnected; check its cable and power");
    }
    if (stopped_) return std::nullopt;
    frame_->camera = image::kKinect;
    return recordings::CapturedFrame{std::move(frame_), time_s_, "frame " + std::to_string(count_++)};
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return true; }
  bool has_depth() const override { return true; }
  bool has_camera() const override { return true; }
  bool is_live() const override { return true; }
  bool may_come_back() const override { return !is_replay(); }
  std::string name() const override { return "Kinect " + (place_.empty() ? "0" : place_); }

 private:
  void start(int index) {
    freenect_set_log_level(context_, FREENECT_LOG_FATAL);
    freenect_select_subdevices(context_, FREENECT_DEVICE_CAMERA);
    const int num_cameras = freenect_num_devices(context_);
    FW_CHECK(index < num_cameras, Device,
             name() << ": there is no such camera, " << num_cameras
                    << " are connected; check cable and power, or use another number");
    FW_CHECK(freenect_open_device(context_, &device_, index) == 0, Device,
             name() << ": the camera cannot be opened; another program may use it, or permissions are missing");
    freenect_set_user(device_, this);
    freenect_set_video_callback(device_, [](freenect_device* device, void* pixels, std::uint32_t) {
      static_cast<Kinect*>(freenect_get_user(device))->take_color(pixels);
    });
    freenect_set_depth_callback(device_, [](freenect_device* device, void* pixels, std::uint32_t ticks) {
      static_cast<Kinect*>(freenect_get_user(device))->take_depth(pixels, ticks);
    });
    // Registered depth: millimetres in the pixels of the colour camera.
    const freenect_depth_format depth_format = is_replay() ? FREENECT_DEPTH_11BIT : FREENECT_DEPTH_REGISTERED;
    const bool started =
        freenect_set_video_mode(device_, freenect_find_video_mode(FREENECT_RESOLUTION_MEDIUM, FREENECT_VIDEO_RGB)) ==
            0 &&
        freenect_set_depth_mode(device_, freenect_find_depth_mode(FREENECT_RESOLUTION_MEDIUM, depth_format)) == 0 &&
        freenect_start_video(device_) == 0 && freenect_start_depth(device_) == 0;
    FW_CHECK(started, Device, name() << ": the camera does not start; unplug it and plug it in again");
  }

  void end() {
    if (device_ != nullptr) {
      freenect_stop_video(device_);
      freenect_stop_depth(device_);
      freenect_close_device(device_);
    }
    freenect_shutdown(context_);
  }

  void take_color(const void* pixels) {
    if (!frame_) return;
    frame_->color = Array2<image::Rgb>(kRows, kCols);
    std::memcpy(static_cast<void*>(frame_->color.data()), pixels, kRows * kCols * sizeof(image::Rgb));
  }
  void take_depth(const void* pixels, std::uint32_t ticks) {
    constexpr double kTicksPerSecond = 60e6;
    if (!frame_) return;
    frame_->depth_mm = Array2<std::uint16_t>(kRows, kCols);
    std::memcpy(frame_->depth_mm.data(), pixels, kRows * kCols * sizeof(std::uint16_t));
    if (is_replay()) {
      static const std::vector<std::uint16_t> table = make_depth_table();
      for (std::uint16_t& depth : frame_->depth_mm) depth = table[depth];
    }
    time_s_ = ticks / kTicksPerSecond;
  }

  std::string place_;
  freenect_context* context_ = nullptr;
  freenect_device* device_ = nullptr;
  std::shared_ptr<image::Frame> frame_;  // being filled; the newest image of each kind is kept
  double time_s_ = 0;
  std::size_t count_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

}  // namespace fernwood::apps

FERNWOOD_SOURCE_PLUGIN(fernwood::apps::Kinect)
