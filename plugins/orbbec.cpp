// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in orbbec: the source `orbbec:SERIAL`, cameras by the C interface of Orbbec's SDK version 2; only this file
// uses it.

#include <libobsensor/ObSensor.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "plugins/depth_camera.h"
#include "plugins/source_plugin.h"

namespace fernwood::apps {

namespace {

using Failure = SdkFailure<ob_error, &ob_error_get_message, &ob_delete_error>;

template <auto kDelete>
struct Deleter {
  template <typename Handle>
  void operator()(Handle* handle) const {
    Failure ignored;
    kDelete(handle, ignored.take());
  }
};
using Context = std::unique_ptr<ob_context, Deleter<&ob_delete_context>>;
using DeviceList = std::unique_ptr<ob_device_list, Deleter<&ob_delete_device_list>>;
using DeviceHandle = std::unique_ptr<ob_device, Deleter<&ob_delete_device>>;
using Pipeline = std::unique_ptr<ob_pipeline, Deleter<&ob_delete_pipeline>>;
using Config = std::unique_ptr<ob_config, Deleter<&ob_delete_config>>;
using FrameHandle = std::unique_ptr<ob_frame, Deleter<&ob_delete_frame>>;

image::Camera camera_of(const ob_camera_intrinsic& numbers) {
  return {numbers.width, numbers.height, numbers.fx, numbers.fy, numbers.cx, numbers.cy};
}

image::Distortion distortion_of(const ob_camera_distortion& of, const std::string& camera) {
  const image::Distortion distortion = {of.k1, of.k2, of.p1, of.p2, of.k3, of.k4, of.k5, of.k6};
  if (std::ranges::all_of(distortion, [](float k) { return k == 0; })) return distortion;
  FW_CHECK(of.model == OB_DISTORTION_BROWN_CONRADY || of.model == OB_DISTORTION_BROWN_CONRADY_K6, Device,
           camera << " has a lens whose distortion (model " << static_cast<int>(of.model)
                  << " of its SDK) is not of Brown and Conrady, by which depth is aligned; choose another camera");
  return distortion;
}

class Orbbec : public DepthCamera {
 public:
  Orbbec(std::string serial, const recordings::SourceOptions&) : DepthCamera("Orbbec", std::move(serial)) {
    // Otherwise the SDK writes a log file into the working directory.
    ob_set_logger_severity(OB_LOG_SEVERITY_OFF, failure_.take());
    context_.reset(ob_create_context(failure_.take()));
    failure_.check(name(), "Orbbec's SDK does not start");
    find_device();
    begin(failure_, [&](const CameraMode& mode) { return is_started_ = can_start(mode); });
  }
  ~Orbbec() override {
    if (is_started_) ob_pipeline_stop(pipeline_.get(), failure_.take());
  }

 private:
  void find_device() {
    const DeviceList devices(ob_query_device_list(context_.get(), failure_.take()));
    failure_.check(name(), "cameras cannot be listed");
    const std::uint32_t count = ob_device_list_get_count(devices.get(), failure_.take());
    failure_.check(name(), "cameras cannot be listed");
    FW_CHECK(count > 0, Device, name() << ": no camera is connected; " << kCheckCable);
    device_.reset(serial_.empty()
                      ? ob_device_list_get_device(devices.get(), 0, failure_.take())
                      : ob_device_list_get_device_by_serial_number(devices.get(), serial_.c_str(), failure_.take()));
    failure_.check(name(), "is not there");
    FW_CHECK(device_, Device, name() << " is not among the " << count << " cameras that are connected");
  }

  bool can_start(const CameraMode& mode) {
    pipeline_.reset(ob_create_pipeline_with_device(device_.get(), failure_.take()));
    failure_.check(name(), "cannot be opened");
    const Config config(ob_create_config(failure_.take()));
    failure_.check(name(), "cannot be opened");
    const auto enable = [&](ob_stream_type stream, int width, int height, ob_format format) {
      ob_config_enable_video_stream(
          config.get(), stream, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
          width > 0 ? static_cast<std::uint32_t>(kCameraRateHz) : std::uint32_t{OB_FPS_ANY}, format, failure_.take());
      return !failure_.has_failed();
    };
    if (!enable(OB_STREAM_DEPTH, mode.depth_width, mode.depth_height, OB_FORMAT_Y16) ||
        !enable(OB_STREAM_COLOR, mode.color_width, mode.color_height, OB_FORMAT_RGB))
      return false;
    ob_config_set_frame_aggregate_output_mode(config.get(), OB_FRAME_AGGREGATE_OUTPUT_ALL_TYPE_FRAME_REQUIRE,
                                              failure_.take());
    ob_pipeline_enable_frame_sync(pipeline_.get(), failure_.take());  // some cameras do not support it
    ob_pipeline_start_with_config(pipeline_.get(), config.get(), failure_.take());
    return !failure_.has_failed();
  }

  std::optional<Images> wait(unsigned milliseconds) override {
    const FrameHandle set(ob_pipeline_wait_for_frameset(pipeline_.get(), milliseconds, failure_.take()));
    failure_.check(name(), "the camera was disconnected");
    if (!set) return std::nullopt;
    const FrameHandle depth(ob_frameset_get_depth_frame(set.get(), failure_.take()));
    const FrameHandle color(ob_frameset_get_color_frame(set.get(), failure_.take()));
    if (!depth || !color) return std::nullopt;
    if (!cameras_) cameras_ = read_cameras();
    Images images{copied<image::Rgb>(*color), copied<std::uint16_t>(*depth),
                  static_cast<double>(ob_frame_get_timestamp_us(depth.get(), failure_.take())) / 1e6};
    const auto mm_per_step = static_cast<double>(ob_depth_frame_get_value_scale(depth.get(), failure_.take()));
    failure_.check(name(), "tells no unit of depth");
    for (std::uint16_t& step : images.depth_mm) step = image::round_depth_mm(step * mm_per_step);
    return images;
  }

  image::CameraPair read_cameras() {
    const ob_camera_param numbers = ob_pipeline_get_camera_param(pipeline_.get(), failure_.take());
    failure_.check(name(), "has no calibration");
    image::CameraPair cameras{camera_of(numbers.depthIntrinsic), camera_of(numbers.rgbIntrinsic),
                              distortion_of(numbers.depthDistortion, name()),
                              distortion_of(numbers.rgbDistortion, name())};
    std::ranges::copy(numbers.transform.rot, cameras.rotation.begin());  // row-major, like ours
    for (std::size_t axis = 0; axis < 3; ++axis) cameras.translation_m[axis] = numbers.transform.trans[axis] / 1000;
    return cameras;
  }

  template <typename Pixel>
  Array2<Pixel> copied(const ob_frame& frame) {
    const std::size_t rows = ob_video_frame_get_height(&frame, failure_.take());
    const std::size_t cols = ob_video_frame_get_width(&frame, failure_.take());
    const std::size_t size_bytes = ob_frame_get_data_size(&frame, failure_.take());
    const std::uint8_t* const bytes = ob_frame_get_data(&frame, failure_.take());
    failure_.check(name(), "a frame cannot be read");
    Array2<Pixel> pixels(rows, cols);
    FW_CHECK(bytes != nullptr && size_bytes >= pixels.size() * sizeof(Pixel), Device,
             name() << ": a frame of " << cols << " x " << rows << " pixels has " << size_bytes << " bytes, not "
                    << pixels.size() * sizeof(Pixel));
    std::memcpy(static_cast<void*>(pixels.data()), bytes, pixels.size() * sizeof(Pixel));
    return pixels;
  }

  Failure failure_;
  Context context_;
  DeviceHandle device_;
  Pipeline pipeline_;
  bool is_started_ = false;
};

}  // namespace

}  // namespace fernwood::apps

FERNWOOD_SOURCE_PLUGIN(fernwood::apps::Orbbec)
