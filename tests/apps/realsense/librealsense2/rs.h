// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The part of librealsense2's C interface that plugins/realsense.cpp uses, for tests without the SDK and a camera.

#define RS2_API_VERSION 25501

extern "C" {

struct rs2_error;
struct rs2_context;
struct rs2_pipeline;
struct rs2_pipeline_profile;
struct rs2_config;
struct rs2_frame;
struct rs2_stream_profile;

enum rs2_stream { RS2_STREAM_ANY, RS2_STREAM_DEPTH, RS2_STREAM_COLOR };
enum rs2_format { RS2_FORMAT_ANY, RS2_FORMAT_Z16, RS2_FORMAT_RGB8 = 5 };
enum rs2_distortion {
  RS2_DISTORTION_NONE,
  RS2_DISTORTION_MODIFIED_BROWN_CONRADY,
  RS2_DISTORTION_INVERSE_BROWN_CONRADY,
  RS2_DISTORTION_FTHETA,
  RS2_DISTORTION_BROWN_CONRADY,
  RS2_DISTORTION_KANNALA_BRANDT4
};

struct rs2_intrinsics {
  int width, height;
  float ppx, ppy, fx, fy;
  rs2_distortion model;
  float coeffs[5];
};
struct rs2_extrinsics {
  float rotation[9];  ///< Column-major.
  float translation[3];
};

const char* rs2_get_error_message(const rs2_error* error);
void rs2_free_error(rs2_error* error);
rs2_context* rs2_create_context(int api_version, rs2_error** error);
void rs2_delete_context(rs2_context* context);

int rs2_embedded_frames_count(rs2_frame* set, rs2_error** error);
rs2_frame* rs2_extract_frame(rs2_frame* set, int index, rs2_error** error);
void rs2_release_frame(rs2_frame* frame);
const void* rs2_get_frame_data(const rs2_frame* frame, rs2_error** error);
int rs2_get_frame_width(const rs2_frame* frame, rs2_error** error);
int rs2_get_frame_height(const rs2_frame* frame, rs2_error** error);
int rs2_get_frame_stride_in_bytes(const rs2_frame* frame, rs2_error** error);
double rs2_get_frame_timestamp(const rs2_frame* frame, rs2_error** error);
float rs2_depth_frame_get_units(const rs2_frame* frame, rs2_error** error);
const rs2_stream_profile* rs2_get_frame_stream_profile(const rs2_frame* frame, rs2_error** error);
void rs2_get_stream_profile_data(const rs2_stream_profile* profile, rs2_stream* stream, rs2_format* format, int* index,
                                 int* unique_id, int* rate, rs2_error** error);
void rs2_get_video_stream_intrinsics(const rs2_stream_profile* profile, rs2_intrinsics* intrinsics, rs2_error** error);
void rs2_get_extrinsics(const rs2_stream_profile* from, const rs2_stream_profile* to, rs2_extrinsics* extrinsics,
                        rs2_error** error);
}
