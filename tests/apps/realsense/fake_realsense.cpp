// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// A simulated camera with the interface of librealsense2: 24 x 16 pixels of depth in units of 0.25 mm, 1 m everywhere,
// from a depth camera 0.1 m to the right of the colour camera, which has 32 x 24 pixels. The serial number selects its
// behaviour: "cut" is unplugged after three frames and works again when reopened, "silent" stops after three frames,
// "usb2" lacks the first mode, "fisheye" has an unsupported lens model, "none" is not connected.

#include <librealsense2/h/rs_config.h>
#include <librealsense2/h/rs_pipeline.h>
#include <librealsense2/rs.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

struct rs2_error {
  std::string message;
};
struct rs2_context {};
struct rs2_stream_profile {
  rs2_stream stream = RS2_STREAM_ANY;
  int width = 0, height = 0;
  bool is_fisheye = false;
};
struct rs2_config {
  std::string serial;
  int depth_width = 0;
};
struct rs2_pipeline {
  std::string serial;
  rs2_stream_profile depth, color;
  int num_given = 0;
  bool is_first = true;
};
struct rs2_pipeline_profile {};
struct rs2_frame {
  const rs2_pipeline* pipeline = nullptr;
  int number = 0;
  const rs2_stream_profile* profile = nullptr;  // null: a set of frames
  std::vector<std::uint8_t> bytes = {};
};

namespace {

int num_started = 0;

template <typename Result>
Result fail(rs2_error** error, const char* message, Result result) {
  *error = new rs2_error{message};
  return result;
}

int bytes_per_pixel(const rs2_frame& frame) { return frame.profile->stream == RS2_STREAM_COLOR ? 3 : 2; }
constexpr int kPadding = 4;  // bytes at the end of each row

}  // namespace

extern "C" {

const char* rs2_get_error_message(const rs2_error* error) { return error->message.c_str(); }
void rs2_free_error(rs2_error* error) { delete error; }
rs2_context* rs2_create_context(int, rs2_error**) { return new rs2_context; }
void rs2_delete_context(rs2_context* context) { delete context; }
rs2_config* rs2_create_config(rs2_error**) { return new rs2_config; }
void rs2_delete_config(rs2_config* config) { delete config; }
void rs2_config_enable_device(rs2_config* config, const char* serial, rs2_error**) { config->serial = serial; }
void rs2_config_enable_stream(rs2_config* config, rs2_stream stream, int, int width, int, rs2_format, int,
                              rs2_error**) {
  if (stream == RS2_STREAM_DEPTH) config->depth_width = width;
}
rs2_pipeline* rs2_create_pipeline(rs2_context*, rs2_error**) { return new rs2_pipeline; }
void rs2_delete_pipeline(rs2_pipeline* pipeline) { delete pipeline; }
rs2_pipeline_profile* rs2_pipeline_start_with_config(rs2_pipeline* pipeline, rs2_config* config, rs2_error** error) {
  rs2_pipeline_profile* const none = nullptr;
  pipeline->serial = config->serial;
  if (config->serial == "none") return fail(error, "No device connected", none);
  if (config->serial == "usb2" && config->depth_width == 848) return fail(error, "Couldn't resolve requests", none);
  const bool is_fisheye = config->serial == "fisheye";
  pipeline->depth = {RS2_STREAM_DEPTH, 24, 16, false};
  pipeline->color = {RS2_STREAM_COLOR, 32, 24, is_fisheye};
  pipeline->is_first = num_started++ == 0;
  return new rs2_pipeline_profile;
}
void rs2_delete_pipeline_profile(rs2_pipeline_profile* profile) { delete profile; }
void rs2_pipeline_stop(rs2_pipeline*, rs2_error**) {}

int rs2_pipeline_try_wait_for_frames(rs2_pipeline* pipeline, rs2_frame** frame, unsigned int timeout_ms,
                                     rs2_error** error) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (pipeline->num_given == 3) {
    if (pipeline->serial == "cut" && pipeline->is_first) return fail(error, "Device disconnected", 0);
    if (pipeline->serial == "silent") {
      std::this_thread::sleep_for(std::chrono::milliseconds(timeout_ms));
      return 0;
    }
  }
  *frame = new rs2_frame{pipeline, pipeline->num_given++};
  return 1;
}

/// The first set has only depth, as can happen with real cameras.
int rs2_embedded_frames_count(rs2_frame* set, rs2_error**) { return set->number == 0 ? 1 : 2; }
rs2_frame* rs2_extract_frame(rs2_frame* set, int index, rs2_error**) {
  auto* const frame =
      new rs2_frame{set->pipeline, set->number, index == 0 ? &set->pipeline->depth : &set->pipeline->color};
  const rs2_stream_profile& profile = *frame->profile;
  for (int row = 0; row < profile.height; ++row) {
    for (int col = 0; col < profile.width; ++col)
      if (profile.stream == RS2_STREAM_DEPTH)
        frame->bytes.insert(frame->bytes.end(), {4000 % 256, 4000 / 256});
      else
        frame->bytes.insert(frame->bytes.end(), {static_cast<std::uint8_t>(set->number), 90, 30});
    frame->bytes.insert(frame->bytes.end(), kPadding, 255);
  }
  return frame;
}
void rs2_release_frame(rs2_frame* frame) { delete frame; }
const void* rs2_get_frame_data(const rs2_frame* frame, rs2_error**) { return frame->bytes.data(); }
int rs2_get_frame_width(const rs2_frame* frame, rs2_error**) { return frame->profile->width; }
int rs2_get_frame_height(const rs2_frame* frame, rs2_error**) { return frame->profile->height; }
int rs2_get_frame_stride_in_bytes(const rs2_frame* frame, rs2_error**) {
  return frame->profile->width * bytes_per_pixel(*frame) + kPadding;
}
double rs2_get_frame_timestamp(const rs2_frame* frame, rs2_error**) { return 1000 + 40.0 * frame->number; }
float rs2_depth_frame_get_units(const rs2_frame*, rs2_error**) { return 0.00025f; }
const rs2_stream_profile* rs2_get_frame_stream_profile(const rs2_frame* frame, rs2_error**) { return frame->profile; }
void rs2_get_stream_profile_data(const rs2_stream_profile* profile, rs2_stream* stream, rs2_format* format, int* index,
                                 int* unique_id, int* rate, rs2_error**) {
  *stream = profile->stream;
  *format = profile->stream == RS2_STREAM_COLOR ? RS2_FORMAT_RGB8 : RS2_FORMAT_Z16;
  *index = *unique_id = 0;
  *rate = 30;
}
void rs2_get_video_stream_intrinsics(const rs2_stream_profile* profile, rs2_intrinsics* intrinsics, rs2_error**) {
  const auto width = static_cast<float>(profile->width), height = static_cast<float>(profile->height);
  *intrinsics = {profile->width,      profile->height, width / 2 - 0.5f, height / 2 - 0.5f, 20, 20,
                 RS2_DISTORTION_NONE, {0, 0, 0, 0, 0}};
  if (!profile->is_fisheye) return;
  intrinsics->model = RS2_DISTORTION_KANNALA_BRANDT4;
  intrinsics->coeffs[0] = 0.1f;
}
void rs2_get_extrinsics(const rs2_stream_profile*, const rs2_stream_profile*, rs2_extrinsics* extrinsics, rs2_error**) {
  *extrinsics = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.1f, 0, 0}};
}
}
