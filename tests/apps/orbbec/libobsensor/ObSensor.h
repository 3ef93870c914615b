// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The part of the Orbbec SDK's C interface that plugins/orbbec.cpp uses, for tests without the SDK and a camera.

#include <cstdint>

#define OB_FPS_ANY 0

extern "C" {

struct ob_error;
struct ob_context;
struct ob_device_list;
struct ob_device;
struct ob_pipeline;
struct ob_config;
struct ob_frame;

enum ob_log_severity { OB_LOG_SEVERITY_OFF = 5 };
enum ob_stream_type { OB_STREAM_COLOR = 2, OB_STREAM_DEPTH = 3 };
enum ob_format { OB_FORMAT_Y16 = 8, OB_FORMAT_RGB = 22 };
enum ob_frame_aggregate_output_mode { OB_FRAME_AGGREGATE_OUTPUT_ALL_TYPE_FRAME_REQUIRE };
enum OBCameraDistortionModel {
  OB_DISTORTION_NONE,
  OB_DISTORTION_MODIFIED_BROWN_CONRADY,
  OB_DISTORTION_INVERSE_BROWN_CONRADY,
  OB_DISTORTION_BROWN_CONRADY,
  OB_DISTORTION_BROWN_CONRADY_K6,
  OB_DISTORTION_KANNALA_BRANDT4
};

struct ob_camera_intrinsic {
  float fx, fy, cx, cy;
  std::int16_t width, height;
};
struct ob_camera_distortion {
  float k1, k2, k3, k4, k5, k6, p1, p2;
  OBCameraDistortionModel model;
};
struct ob_d2c_transform {
  float rot[9];
  float trans[3];  ///< Millimetres.
};
struct ob_camera_param {
  ob_camera_intrinsic depthIntrinsic, rgbIntrinsic;
  ob_camera_distortion depthDistortion, rgbDistortion;
  ob_d2c_transform transform;
  bool isMirrored;
};

const char* ob_error_get_message(const ob_error* error);
void ob_delete_error(ob_error* error);
void ob_set_logger_severity(ob_log_severity severity, ob_error** error);
ob_context* ob_create_context(ob_error** error);
void ob_delete_context(ob_context* context, ob_error** error);
ob_device_list* ob_query_device_list(ob_context* context, ob_error** error);
void ob_delete_device_list(ob_device_list* list, ob_error** error);
std::uint32_t ob_device_list_get_count(const ob_device_list* list, ob_error** error);
ob_device* ob_device_list_get_device(const ob_device_list* list, std::uint32_t index, ob_error** error);
ob_device* ob_device_list_get_device_by_serial_number(const ob_device_list* list, const char* serial, ob_error** error);
void ob_delete_device(ob_device* device, ob_error** error);

ob_pipeline* ob_create_pipeline_with_device(const ob_device* device, ob_error** error);
void ob_delete_pipeline(ob_pipeline* pipeline, ob_error** error);
ob_config* ob_create_config(ob_error** error);
void ob_delete_config(ob_config* config, ob_error** error);
void ob_config_enable_video_stream(ob_config* config, ob_stream_type stream, std::uint32_t width, std::uint32_t height,
                                   std::uint32_t fps, ob_format format, ob_error** error);
void ob_config_set_frame_aggregate_output_mode(ob_config* config, ob_frame_aggregate_output_mode mode,
                                               ob_error** error);
void ob_pipeline_enable_frame_sync(ob_pipeline* pipeline, ob_error** error);
void ob_pipeline_start_with_config(ob_pipeline* pipeline, const ob_config* config, ob_error** error);
void ob_pipeline_stop(ob_pipeline* pipeline, ob_error** error);
ob_frame* ob_pipeline_wait_for_frameset(ob_pipeline* pipeline, std::uint32_t timeout_ms, ob_error** error);
ob_camera_param ob_pipeline_get_camera_param(ob_pipeline* pipeline, ob_error** error);

ob_frame* ob_frameset_get_depth_frame(const ob_frame* set, ob_error** error);
ob_frame* ob_frameset_get_color_frame(const ob_frame* set, ob_error** error);
void ob_delete_frame(const ob_frame* frame, ob_error** error);
std::uint64_t ob_frame_get_timestamp_us(const ob_frame* frame, ob_error** error);
std::uint8_t* ob_frame_get_data(const ob_frame* frame, ob_error** error);
std::uint32_t ob_frame_get_data_size(const ob_frame* frame, ob_error** error);
std::uint32_t ob_video_frame_get_width(const ob_frame* frame, ob_error** error);
std::uint32_t ob_video_frame_get_height(const ob_frame* frame, ob_error** error);
float ob_depth_frame_get_value_scale(const ob_frame* frame, ob_error** error);
}
