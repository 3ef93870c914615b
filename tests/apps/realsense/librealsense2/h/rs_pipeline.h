// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <librealsense2/rs.h>

extern "C" {

rs2_pipeline* rs2_create_pipeline(rs2_context* context, rs2_error** error);
void rs2_delete_pipeline(rs2_pipeline* pipeline);
rs2_pipeline_profile* rs2_pipeline_start_with_config(rs2_pipeline* pipeline, rs2_config* config, rs2_error** error);
void rs2_delete_pipeline_profile(rs2_pipeline_profile* profile);
int rs2_pipeline_try_wait_for_frames(rs2_pipeline* pipeline, rs2_frame** frame, unsigned int timeout_ms,
                                     rs2_error** error);
void rs2_pipeline_stop(rs2_pipeline* pipeline, rs2_error** error);
}
