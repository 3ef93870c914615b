// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Base class for cameras whose SDK delivers pairs of a colour and a depth image, each with its own calibration.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::apps {

inline constexpr const char* kCheckCable =
    "check cable and USB port (of version 3), and whether another program uses it";

/// Error object of an SDK's C interface.
template <typename SdkError, auto kMessage, auto kFree>
class SdkFailure {
 public:
  SdkFailure() = default;
  ~SdkFailure() { clear(); }
  SdkFailure(const SdkFailure&) = delete;
  SdkFailure& operator=(const SdkFailure&) = delete;

  SdkError** take() {
    clear();
    return &error_;
  }
  bool has_failed() const { return error_ != nullptr; }
  std::string text() const { return error_ ? kMessage(error_) : ""; }
  void check(const std::string& camera, const char* what) const {
    FW_CHECK(!has_failed(), Device, camera << ": " << what << " (" << text() << "); " << kCheckCable);
  }

 private:
  void clear() {
    if (error_) kFree(error_);
    error_ = nullptr;
  }
  SdkError* error_ = nullptr;
};

/// Sizes of depth and colour in the order in which they are tried: not all cameras, or USB 2, support all of them.
struct CameraMode {
  int depth_width, depth_height, color_width, color_height;  ///< 0: any size.
};
inline constexpr CameraMode kCameraModes[] = {{848, 480, 640, 480}, {640, 480, 640, 480}, {0, 0, 0, 0}};
inline constexpr int kCameraRateHz = 30;  ///< For modes with sizes.

/// Delivers depth in the pixels of the depth camera, and the calibration of both cameras, by which fernwood aligns it.
class DepthCamera : public recordings::FrameSource {
 public:
  DepthCamera(std::string maker, std::string serial) : serial_(std::move(serial)), maker_(std::move(maker)) {}
  DepthCamera(const DepthCamera&) = delete;
  DepthCamera& operator=(const DepthCamera&) = delete;

  std::string name() const override { return serial_.empty() ? "the " + maker_ + " camera" : maker_ + " " + serial_; }
  std::optional<recordings::CapturedFrame> next() override {
    if (stopped_) return std::nullopt;
    if (first_) return std::exchange(first_, std::nullopt);
    std::optional<recordings::CapturedFrame> frame = read();
    FW_CHECK(frame || stopped_, Device, name() << ": the camera gives no frame any more; " << kCheckCable);
    return frame;
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return true; }
  bool has_depth() const override { return true; }
  bool has_camera() const override { return true; }
  bool is_live() const override { return true; }
  std::optional<image::CameraPair> depth_cameras() const override { return cameras_; }

 protected:
  /// A pair of images, with depth in mm.
  struct Images {
    Array2<image::Rgb> color;
    Array2<std::uint16_t> depth_mm;
    double time_s;
  };
  /// Waits for the next pair; empty if none arrives in time or an image is missing. Sets cameras_ with the first pair.
  /// @throws Error(kDevice) if the camera was disconnected.
  virtual std::optional<Images> wait(unsigned milliseconds) = 0;

  /// Starts in the first mode that the camera supports, and reads the first frame, which provides its calibration.
  /// @param starts  In a mode; false with the reason in `failure`.
  template <typename Failure, typename Start>
  void begin(const Failure& failure, const Start& starts) {
    std::string reason;
    const bool has_started = std::ranges::any_of(kCameraModes, [&](const CameraMode& mode) {
      const bool can = starts(mode);
      if (!can && reason.empty()) reason = failure.text();
      return can;
    });
    FW_CHECK(has_started, Device, name() << " does not start (" << reason << "); " << kCheckCable);
    first_ = read();
    FW_CHECK(first_, Device, name() << " gives no frames of colour and depth; " << kCheckCable);
  }

  const std::string serial_;
  std::optional<image::CameraPair> cameras_;

 private:
  /// Empty if no frame arrives in time, or stop() was called.
  std::optional<recordings::CapturedFrame> read() {
    constexpr unsigned kLookEveryMs = 100;
    constexpr std::chrono::seconds kTimeout{5};  // long enough for a camera that starts; then it counts as disconnected
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (!stopped_ && std::chrono::steady_clock::now() < until) {
      std::optional<Images> images = wait(kLookEveryMs);
      if (!images) continue;
      auto frame = std::make_shared<image::Frame>();
      frame->color = std::move(images->color);
      frame->depth_mm = std::move(images->depth_mm);
      frame->camera = cameras_->color;
      return recordings::CapturedFrame{std::move(frame), images->time_s, "frame " + std::to_string(count_++)};
    }
    return std::nullopt;
  }

  const std::string maker_;
  std::optional<recordings::CapturedFrame> first_;
  std::size_t count_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace fernwood::apps
