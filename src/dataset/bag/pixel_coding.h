// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"
#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// An encoding of pixels (sensor_msgs/image_encodings).
struct PixelCoding {
  std::string_view name;
  std::size_t pixel_bytes = 1;
  std::array<std::uint8_t, 3> rgb = {};  ///< Where red, green and blue are in a pixel.
  bool is_grey = false, is_bayer = false, is_float = false;
  std::array<std::uint8_t, 4> bayer = {};  ///< Channels of 2 x 2 pixels, where each pixel has one of them.

  bool is_depth() const { return is_float || pixel_bytes == 2; }
};

/// Null for one that is not read.
const PixelCoding* find_pixel_coding(std::string_view name);

/// "rgb8, bgr8 …", for messages.
std::string pixel_coding_names(bool of_depth);

/// @param image  With all its rows. A Bayer pattern is interpolated: a channel is the mean of its samples in the 3 x 3
/// pixels around, or the pixel's own.
Array2<image::Rgb> decode_pixels(const PixelCoding& coding, const ros::Image& image);

}  // namespace fernwood::dataset
