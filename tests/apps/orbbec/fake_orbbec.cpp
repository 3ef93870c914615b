// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// A simulated camera with the interface of Orbbec's SDK: 24 x 16 pixels of depth in units of 0.25 mm, 1 m everywhere,
// from a depth camera 0.1 m to the right of the colour camera, which has 32 x 24 pixels. The serial number selects its
// behaviour: "cut" is unplugged after three frames and works again when reopened, "silent" stops after three frames,
// "usb2" lacks the first mode, "fisheye" has an unsupported lens model, "short" delivers half of the pixels, "none" is
// not connected.

#include <libobsensor/ObSensor.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

struct ob_error {
  std::string message;
};
struct ob_context {};
struct ob_device_list {};
struct ob_device {
  std::string serial;
};
struct ob_config {
  std::uint32_t depth_width = 0;
};
struct ob_pipeline {
  std::string serial;
  int num_given = 0;
  bool is_first = true;
};
struct ob_frame {
  int number = 0;
  std::uint32_t width = 0, height = 0;  // 0: a set of frames
  std::vector<std::uint8_t> bytes = {};
  bool is_short = false;
};

namespace {

int num_started = 0;

template <typename Result>
Result fail(ob_error** error, const char* message, Result result) {
  *error = new ob_error{message};
  return result;
}

}  // namespace

extern "C" {

const char* ob_error_get_message(const ob_error* error) { return error->message.c_str(); }
void ob_delete_error(ob_error* error) { delete error; }
void ob_set_logger_severity(ob_log_severity, ob_error**) {}
ob_context* ob_create_context(ob_error**) { return new ob_context; }
void ob_delete_context(ob_context* context, ob_error**) { delete context; }
ob_device_list* ob_query_device_list(ob_context*, ob_error**) { return new ob_device_list; }
void ob_delete_device_list(ob_device_list* list, ob_error**) { delete list; }
std::uint32_t ob_device_list_get_count(const ob_device_list*, ob_error**) { return 2; }
ob_device* ob_device_list_get_device(const ob_device_list*, std::uint32_t, ob_error**) { return new ob_device; }
ob_device* ob_device_list_get_device_by_serial_number(const ob_device_list*, const char* serial, ob_error** error) {
  ob_device* const none = nullptr;
  if (std::string(serial) == "none") return fail(error, "No device matched", none);
  return new ob_device{serial};
}
void ob_delete_device(ob_device* device, ob_error**) { delete device; }

ob_pipeline* ob_create_pipeline_with_device(const ob_device* device, ob_error**) {
  return new ob_pipeline{device->serial};
}
void ob_delete_pipeline(ob_pipeline* pipeline, ob_error**) { delete pipeline; }
ob_config* ob_create_config(ob_error**) { return new ob_config; }
void ob_delete_config(ob_config* config, ob_error**) { delete config; }
void ob_config_enable_video_stream(ob_config* config, ob_stream_type stream, std::uint32_t width, std::uint32_t,
                                   std::uint32_t, ob_format, ob_error**) {
  if (stream == OB_STREAM_DEPTH) config->depth_width = width;
}
void ob_config_set_frame_aggregate_output_mode(ob_config*, ob_frame_aggregate_output_mode, ob_error**) {}
void ob_pipeline_enable_frame_sync(ob_pipeline*, ob_error** error) {
  fail(error, "this camera has no frame synchronisation", 0);
}
void ob_pipeline_start_with_config(ob_pipeline* pipeline, const ob_config* config, ob_error** error) {
  if (pipeline->serial == "usb2" && config->depth_width == 848) {
    fail(error, "no matched stream profile", 0);
    return;
  }
  pipeline->is_first = num_started++ == 0;
}
void ob_pipeline_stop(ob_pipeline*, ob_error**) {}

ob_frame* ob_pipeline_wait_for_frameset(ob_pipeline* pipeline, std::uint32_t timeout_ms, ob_error** error) {
  ob_frame* const none = nullptr;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (pipeline->num_given == 3) {
    if (pipeline->serial == "cut" && pipeline->is_first) return fail(error, "device disconnected", none);
    if (pipeline->serial == "silent") {
      std::this_thread::sleep_for(std::chrono::milliseconds(timeout_ms));
      return none;
    }
  }
  return new ob_frame{.number = pipeline->num_given++, .is_short = pipeline->serial == "short"};
}
ob_camera_param ob_pipeline_get_camera_param(ob_pipeline* pipeline, ob_error**) {
  ob_camera_param numbers = {{20, 20, 11.5f, 7.5f, 24, 16},
                             {20, 20, 15.5f, 11.5f, 32, 24},
                             {},
                             {},
                             {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {100, 0, 0}},
                             false};
  if (pipeline->serial == "fisheye") numbers.rgbDistortion = {0.1f, 0, 0, 0, 0, 0, 0, 0, OB_DISTORTION_KANNALA_BRANDT4};
  return numbers;
}

ob_frame* ob_frameset_get_depth_frame(const ob_frame* set, ob_error**) {
  auto* const frame = new ob_frame{set->number, 24, 16};
  for (int i = 0; i < 24 * 16; ++i) frame->bytes.insert(frame->bytes.end(), {4000 % 256, 4000 / 256});
  if (set->is_short) frame->bytes.resize(frame->bytes.size() / 2);
  return frame;
}
/// The first set has only depth, as can happen with real cameras.
ob_frame* ob_frameset_get_color_frame(const ob_frame* set, ob_error**) {
  if (set->number == 0) return nullptr;
  auto* const frame = new ob_frame{set->number, 32, 24};
  for (int i = 0; i < 32 * 24; ++i)
    frame->bytes.insert(frame->bytes.end(), {static_cast<std::uint8_t>(set->number), 90, 30});
  return frame;
}
void ob_delete_frame(const ob_frame* frame, ob_error**) { delete frame; }
std::uint64_t ob_frame_get_timestamp_us(const ob_frame* frame, ob_error**) {
  return 1000000 + 40000 * static_cast<std::uint64_t>(frame->number);
}
std::uint8_t* ob_frame_get_data(const ob_frame* frame, ob_error**) {
  return const_cast<ob_frame*>(frame)->bytes.data();
}
std::uint32_t ob_frame_get_data_size(const ob_frame* frame, ob_error**) {
  return static_cast<std::uint32_t>(frame->bytes.size());
}
std::uint32_t ob_video_frame_get_width(const ob_frame* frame, ob_error**) { return frame->width; }
std::uint32_t ob_video_frame_get_height(const ob_frame* frame, ob_error**) { return frame->height; }
float ob_depth_frame_get_value_scale(const ob_frame*, ob_error**) { return 0.25f; }
}
