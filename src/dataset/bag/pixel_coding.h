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

/// A pixel encoding (sensor_msgs/image_encodings).
struct PixelCoding {
  std::string_view name;
  std::size_t pixel_bytes = 1;
  std::array<std::uint8_t, 3> rgb = {};  ///< Positions of red, green and blue in a pixel.
  bool is_grey = false, is_bayer = false, is_float = false;
  std::array<std::uint8_t, 4> bayer = {};  ///< Channels of 2 x 2 pixels, if each pixel has only one.

  bool is_depth() const { return is_float || pixel_bytes == 2; }
};

/// Null for an unsupported encoding.
const PixelCoding* find_pixel_coding(std::string_view name);

/// "rgb8, bgr8 …", for messages.
std::string pixel_coding_names(bool of_depth);

/// @param image  With all its rows. A Bayer pattern is interpolated: a channel is the pixel's own sample, or the mean
/// of the samples of that channel in the 3 x 3 neighbourhood.
Array2<image::Rgb> decode_pixels(const PixelCoding& coding, const ros::Image& image);

}  // namespace fernwood::dataset
