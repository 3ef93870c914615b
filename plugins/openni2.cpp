// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in openni2: the source `openni2:`, cameras and .oni recordings by OpenNI2; only this file uses it.

#include <OpenNI.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <string>

#include "fernwood/core/error.h"
#include "plugins/source_plugin.h"

namespace fernwood::apps {

namespace {

constexpr int kLookEveryMs = 100;

std::string name_of(const std::string& place) { return place.empty() ? "the first OpenNI2 camera" : place; }

/// OpenNI2's description of its last failure, without surrounding white space.
std::string reason() {
  const std::string text = openni::OpenNI::getExtendedError();
  const std::size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "no reason given" : text.substr(begin, end - begin + 1);
}

/// The camera of a stream, from its field of view; empty if that is unknown.
std::optional<image::Camera> camera_of(const openni::VideoStream& stream) {
  const openni::VideoMode mode = stream.getVideoMode();
  const int cols = mode.getResolutionX(), rows = mode.getResolutionY();
  const auto focal = [](int side, float angle) { return 0.5f * static_cast<float>(side) / std::tan(0.5f * angle); };
  const auto middle = [](int side) { return 0.5f * (static_cast<float>(side) - 1.0f); };
  const image::Camera camera = {cols,
                                rows,
                                focal(cols, stream.getHorizontalFieldOfView()),
                                focal(rows, stream.getVerticalFieldOfView()),
                                middle(cols),
                                middle(rows)};
  const bool known =
      cols > 0 && rows > 0 && std::isfinite(camera.fx) && camera.fx > 0 && std::isfinite(camera.fy) && camera.fy > 0;
  return known ? std::optional(camera) : std::nullopt;
}

void check(openni::Status status, const std::string& place, const char* what) {
  const bool is_recording = place.ends_with(".oni");
  FW_CHECK(status == openni::STATUS_OK || !is_recording, Runtime,
           place << ": " << what << " (" << reason() << "); check that the recording is there and whole");
  FW_CHECK(status == openni::STATUS_OK, Device,
           name_of(place) << ": " << what << " (" << reason() << "); check that the camera is connected");
}

/// A camera or a recording of one. Objects of OpenNI2 are not destroyed before the program ends, because its drivers
/// crash otherwise.
class OpenNiSource : public recordings::FrameSource {
 public:
  OpenNiSource(const std::string& place, const recordings::SourceOptions&) : place_(place), things_(new Things) {
    check(openni::OpenNI::initialize(), place, "OpenNI2 does not start");
    openni::Device& device = things_->device;
    check(device.open(place.empty() ? openni::ANY_DEVICE : place.c_str()), place, "cannot be opened");
    open_stream(openni::SENSOR_DEPTH, things_->depth);
    open_stream(openni::SENSOR_COLOR, things_->color);
    FW_CHECK(has_color() || has_depth(), Device, name() << " has neither colour nor depth; choose another device");
    if (has_color() && has_depth()) {
      device.setImageRegistrationMode(openni::IMAGE_REGISTRATION_DEPTH_TO_COLOR);
      device.setDepthColorSyncEnabled(true);
    }
    if (device.isFile()) device.getPlaybackControl()->setRepeatEnabled(false);
    if (has_depth()) check(things_->depth.start(), place, "depth does not start");
    if (has_color()) check(things_->color.start(), place, "colour does not start");
    camera_ = camera_of(has_color() ? things_->color : things_->depth);  // depth is registered to colour
  }

  std::optional<recordings::CapturedFrame> next() override {
    auto frame = std::make_shared<image::Frame>();
    while (!stopped_ && !is_whole(*frame)) {
      if (is_at_end()) return std::nullopt;
      read_one(*frame);
    }
    if (stopped_) return std::nullopt;
    FW_CHECK(!has_color() || !has_depth() || frame->color.size() == frame->depth_mm.size(), Data,
             name() << ": colour has " << frame->color.cols() << " x " << frame->color.rows() << " pixels, depth "
                    << frame->depth_mm.cols() << " x " << frame->depth_mm.rows()
                    << "; record or choose both with one size");
    frame->camera = camera_;
    return recordings::CapturedFrame{std::move(frame), time_s_, "frame " + std::to_string(count_++)};
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return things_->color.isValid(); }
  bool has_depth() const override { return things_->depth.isValid(); }
  bool has_camera() const override { return camera_.has_value(); }
  bool is_live() const override { return true; }  // recordings play in real time
  bool may_come_back() const override { return !things_->device.isFile(); }
  std::string name() const override { return name_of(place_); }

 private:
  struct Things {
    openni::Device device;
    openni::VideoStream depth, color;
  };

  void open_stream(openni::SensorType type, openni::VideoStream& stream) {
    const openni::SensorInfo* sensor = things_->device.getSensorInfo(type);
    if (sensor == nullptr) return;
    check(stream.create(things_->device, type), place_, "a stream cannot be opened");
    if (things_->device.isFile()) return;
    const auto wanted = type == openni::SENSOR_DEPTH ? openni::PIXEL_FORMAT_DEPTH_1_MM : openni::PIXEL_FORMAT_RGB888;
    const auto& modes = sensor->getSupportedVideoModes();
    for (int i = 0; i < modes.getSize(); ++i)
      if (modes[i].getPixelFormat() == wanted && modes[i].getResolutionX() == 640 && modes[i].getResolutionY() == 480)
        stream.setVideoMode(modes[i]);
    stream.setMirroringEnabled(false);
  }

  bool is_whole(const image::Frame& frame) const {
    return (!has_color() || !frame.color.empty()) && (!has_depth() || !frame.depth_mm.empty());
  }
  bool is_at_end() {
    if (!things_->device.isFile()) return false;
    const openni::VideoStream& stream = has_depth() ? things_->depth : things_->color;
    return last_index_ >= things_->device.getPlaybackControl()->getNumberOfFrames(stream);
  }

  /// Waits shortly for an image of either kind; the newest of each kind is kept.
  void read_one(image::Frame& frame) {
    openni::VideoStream* streams[2];
    int num_streams = 0, ready = -1;
    for (openni::VideoStream* stream : {&things_->depth, &things_->color})
      if (stream->isValid()) streams[num_streams++] = stream;
    const openni::Status status = openni::OpenNI::waitForAnyStream(streams, num_streams, &ready, kLookEveryMs);
    if (status == openni::STATUS_TIME_OUT) return;
    check(status, place_, "gives no frame");
    openni::VideoFrameRef image;
    check(streams[ready]->readFrame(&image), place_, "a frame cannot be read");
    if (!has_depth() || streams[ready] == &things_->depth) {
      time_s_ = static_cast<double>(image.getTimestamp()) * 1e-6;
      last_index_ = image.getFrameIndex();
    }
    copy(image, frame);
  }

  void copy(const openni::VideoFrameRef& image, image::Frame& frame) const {
    const auto rows = static_cast<std::size_t>(image.getHeight()), cols = static_cast<std::size_t>(image.getWidth());
    const auto stride = static_cast<std::size_t>(image.getStrideInBytes());
    const auto* bytes = static_cast<const std::uint8_t*>(image.getData());
    const openni::PixelFormat format = image.getVideoMode().getPixelFormat();
    const bool is_color = format == openni::PIXEL_FORMAT_RGB888;
    FW_CHECK(is_color || format == openni::PIXEL_FORMAT_DEPTH_1_MM || format == openni::PIXEL_FORMAT_DEPTH_100_UM, Data,
             name() << " gives pixels of a kind that is not known (" << format
                    << "); choose 8-bit RGB and depth in millimetres");
    if (is_color) frame.color = Array2<image::Rgb>(rows, cols);
    if (!is_color) frame.depth_mm = Array2<std::uint16_t>(rows, cols);
    for (std::size_t row = 0; row < rows; ++row)
      if (is_color)
        std::memcpy(static_cast<void*>(frame.color.row(row)), bytes + row * stride, cols * sizeof(image::Rgb));
      else
        std::memcpy(frame.depth_mm.row(row), bytes + row * stride, cols * sizeof(std::uint16_t));
    if (format == openni::PIXEL_FORMAT_DEPTH_100_UM)
      for (std::uint16_t& depth : frame.depth_mm) depth = static_cast<std::uint16_t>((depth + 5) / 10);
  }

  std::string place_;
  Things* const things_;
  std::optional<image::Camera> camera_;
  double time_s_ = 0;
  int last_index_ = 0;
  std::size_t count_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

}  // namespace fernwood::apps

FERNWOOD_SOURCE_PLUGIN(fernwood::apps::OpenNiSource)
