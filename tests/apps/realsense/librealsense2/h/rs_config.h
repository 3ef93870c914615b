// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <librealsense2/rs.h>

extern "C" {

rs2_config* rs2_create_config(rs2_error** error);
void rs2_delete_config(rs2_config* config);
void rs2_config_enable_device(rs2_config* config, const char* serial, rs2_error** error);
void rs2_config_enable_stream(rs2_config* config, rs2_stream stream, int index, int width, int height,
                              rs2_format format, int rate, rs2_error** error);
}
