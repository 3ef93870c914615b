// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in realsense: the source `realsense:SERIAL`, cameras by librealsense2's C interface; only this file uses it.

#include <librealsense2/h/rs_config.h>
#include <librealsense2/h/rs_pipeline.h>
#include <librealsense2/rs.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "plugins/depth_camera.h"
#include "plugins/source_plugin.h"

namespace fernwood::apps {

namespace {

using Failure = SdkFailure<rs2_error, &rs2_get_error_message, &rs2_free_error>;

template <auto kDelete>
struct Deleter {
  template <typename Handle>
  void operator()(Handle* handle) const {
    kDelete(handle);
  }
};
using Context = std::unique_ptr<rs2_context, Deleter<&rs2_delete_context>>;
using Pipeline = std::unique_ptr<rs2_pipeline, Deleter<&rs2_delete_pipeline>>;
using Config = std::unique_ptr<rs2_config, Deleter<&rs2_delete_config>>;
using Profile = std::unique_ptr<rs2_pipeline_profile, Deleter<&rs2_delete_pipeline_profile>>;
using FrameHandle = std::unique_ptr<rs2_frame, Deleter<&rs2_release_frame>>;

image::Camera camera_of(const rs2_intrinsics& numbers) {
  return {numbers.width, numbers.height, numbers.fx, numbers.fy, numbers.ppx, numbers.ppy};
}

/// k1, k2, p1, p2, k3. The SDK itself projects with these, for each of its Brown-Conrady models.
image::Distortion distortion_of(const rs2_intrinsics& numbers, const std::string& camera) {
  image::Distortion distortion{};
  if (std::ranges::all_of(numbers.coeffs, [](float k) { return k == 0; })) return distortion;
  FW_CHECK(numbers.model != RS2_DISTORTION_FTHETA && numbers.model != RS2_DISTORTION_KANNALA_BRANDT4, Device,
           camera << " has a wide-angle lens, whose depth is not aligned here; choose another camera");
  std::ranges::copy(numbers.coeffs, distortion.begin());
  return distortion;
}

class RealSense : public DepthCamera {
 public:
  RealSense(std::string serial, const recordings::SourceOptions&) : DepthCamera("RealSense", std::move(serial)) {
    context_.reset(rs2_create_context(RS2_API_VERSION, failure_.take()));
    failure_.check(name(), "librealsense2 does not start");
    begin(failure_, [&](const CameraMode& mode) { return can_start(mode); });
  }
  ~RealSense() override {
    if (profile_) rs2_pipeline_stop(pipeline_.get(), failure_.take());
  }

 private:
  bool can_start(const CameraMode& mode) {
    pipeline_.reset(rs2_create_pipeline(context_.get(), failure_.take()));
    failure_.check(name(), "cannot be opened");
    const Config config(rs2_create_config(failure_.take()));
    failure_.check(name(), "cannot be opened");
    if (!serial_.empty()) rs2_config_enable_device(config.get(), serial_.c_str(), failure_.take());
    failure_.check(name(), "is not there");
    enable(*config, RS2_STREAM_DEPTH, mode.depth_width, mode.depth_height, RS2_FORMAT_Z16);
    enable(*config, RS2_STREAM_COLOR, mode.color_width, mode.color_height, RS2_FORMAT_RGB8);
    profile_.reset(rs2_pipeline_start_with_config(pipeline_.get(), config.get(), failure_.take()));
    return profile_ != nullptr;
  }
  void enable(rs2_config& config, rs2_stream stream, int width, int height, rs2_format format) {
    rs2_config_enable_stream(&config, stream, -1, width, height, format, width > 0 ? kCameraRateHz : 0,
                             failure_.take());
    failure_.check(name(), "cannot be configured");
  }

  std::optional<Images> wait(unsigned milliseconds) override {
    rs2_frame* arrived = nullptr;
    const int has_come = rs2_pipeline_try_wait_for_frames(pipeline_.get(), &arrived, milliseconds, failure_.take());
    const FrameHandle set(arrived);
    failure_.check(name(), "the camera was disconnected");
    return has_come != 0 && set ? images_of(*set) : std::nullopt;
  }

  std::optional<Images> images_of(rs2_frame& set) {
    FrameHandle depth, color;
    const int count = rs2_embedded_frames_count(&set, failure_.take());
    failure_.check(name(), "a frame cannot be read");
    for (int i = 0; i < count; ++i) {
      FrameHandle one(rs2_extract_frame(&set, i, failure_.take()));
      failure_.check(name(), "a frame cannot be read");
      const rs2_stream stream = stream_of(*one);
      if (stream == RS2_STREAM_DEPTH)
        depth = std::move(one);
      else if (stream == RS2_STREAM_COLOR)
        color = std::move(one);
    }
    if (!depth || !color) return std::nullopt;
    if (!cameras_) cameras_ = read_cameras(*depth, *color);
    Images images{copied<image::Rgb>(*color), copied<std::uint16_t>(*depth),
                  rs2_get_frame_timestamp(depth.get(), failure_.take()) / 1000};
    to_millimetres(*depth, images.depth_mm);
    return images;
  }

  const rs2_stream_profile* profile_of(const rs2_frame& frame) {
    const rs2_stream_profile* profile = rs2_get_frame_stream_profile(&frame, failure_.take());
    failure_.check(name(), "a frame cannot be read");
    return profile;
  }
  rs2_stream stream_of(const rs2_frame& frame) {
    rs2_stream stream{};
    rs2_format format{};
    int index = 0, id = 0, rate = 0;
    rs2_get_stream_profile_data(profile_of(frame), &stream, &format, &index, &id, &rate, failure_.take());
    failure_.check(name(), "a frame cannot be read");
    return stream;
  }

  image::CameraPair read_cameras(const rs2_frame& depth, const rs2_frame& color) {
    rs2_intrinsics of_depth{}, of_color{};
    rs2_extrinsics to_color{};
    rs2_get_video_stream_intrinsics(profile_of(depth), &of_depth, failure_.take());
    failure_.check(name(), "has no calibration of depth");
    rs2_get_video_stream_intrinsics(profile_of(color), &of_color, failure_.take());
    failure_.check(name(), "has no calibration of colour");
    rs2_get_extrinsics(profile_of(depth), profile_of(color), &to_color, failure_.take());
    failure_.check(name(), "has no calibration of both cameras");
    image::CameraPair cameras{camera_of(of_depth), camera_of(of_color), distortion_of(of_depth, name()),
                              distortion_of(of_color, name())};
    for (std::size_t row = 0; row < 3; ++row) {
      cameras.translation_m[row] = to_color.translation[row];
      for (std::size_t col = 0; col < 3; ++col)
        cameras.rotation[3 * row + col] = to_color.rotation[3 * col + row];  // librealsense's is column-major
    }
    return cameras;
  }

  template <typename Pixel>
  Array2<Pixel> copied(const rs2_frame& frame) {
    const auto rows = static_cast<std::size_t>(rs2_get_frame_height(&frame, failure_.take()));
    const auto cols = static_cast<std::size_t>(rs2_get_frame_width(&frame, failure_.take()));
    const auto stride = static_cast<std::size_t>(rs2_get_frame_stride_in_bytes(&frame, failure_.take()));
    const auto* bytes = static_cast<const std::uint8_t*>(rs2_get_frame_data(&frame, failure_.take()));
    failure_.check(name(), "a frame cannot be read");
    FW_CHECK(bytes != nullptr && stride >= cols * sizeof(Pixel), Device, name() << ": a frame has no pixels");
    Array2<Pixel> pixels(rows, cols);
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(static_cast<void*>(pixels.row(row)), bytes + row * stride, cols * sizeof(Pixel));
    return pixels;
  }

  void to_millimetres(const rs2_frame& depth, Array2<std::uint16_t>& steps) {
    const float metres_per_step = rs2_depth_frame_get_units(&depth, failure_.take());
    failure_.check(name(), "tells no unit of depth");
    for (std::uint16_t& step : steps) step = image::to_depth_mm(static_cast<float>(step) * metres_per_step);
  }

  Failure failure_;
  Context context_;
  Pipeline pipeline_;
  Profile profile_;
};

}  // namespace

}  // namespace fernwood::apps

FERNWOOD_SOURCE_PLUGIN(fernwood::apps::RealSense)
