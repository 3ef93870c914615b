// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"
#include "fernwood/ros/messages.h"

namespace fernwood::recordings {

/// How the bytes of an image are arranged.
enum class PixelForm {
  kColor,
  kGrey,
  kBayer,   ///< Each pixel has one channel.
  kYuv422,  ///< Two pixels share four bytes.
  kYuv420,  ///< 2 x 2 pixels share a pair of chroma, in rows after those of luma.
  kDepth,
  kFloatDepth
};

/// A pixel encoding (sensor_msgs/image_encodings).
struct PixelCoding {
  std::string_view name;
  PixelForm form;
  std::size_t pixel_bytes = 1;
  /// Positions of red, green and blue in a pixel; of Y, U and V in four bytes (4:2:2) or in a pair (U and V of 4:2:0);
  /// channels of 2 x 2 pixels (Bayer).
  std::array<std::uint8_t, 4> places = {};

  bool is_depth() const { return form == PixelForm::kDepth || is_float(); }
  bool is_float() const { return form == PixelForm::kFloatDepth; }
  std::size_t row_bytes(std::size_t cols) const;
  std::size_t num_rows(std::size_t rows) const;  ///< Rows of bytes.
};

/// Null for an unsupported encoding.
const PixelCoding* find_pixel_coding(std::string_view name);

/// "rgb8, bgr8 …", for messages.
std::string pixel_coding_names(bool of_depth);

/// @param image  With all its rows. YUV is converted by BT.601 with whole numbers, as OpenCV does. A Bayer pattern is
/// interpolated: a channel is the pixel's own sample, or the mean of the samples of that channel in the 3 x 3
/// neighbourhood.
Array2<image::Rgb> decode_pixels(const PixelCoding& coding, const ros::Image& image);

/// Decodes a depth image in RVL (Wilson, "Fast Lossless Depth Image Compression", ISS 2017): runs of zeros, and
/// differences between adjacent pixels. @param packed  Words of 32 bits, little-endian.
/// @throws Error(kData) where words are missing, or encode more pixels than the image has. @param place  For messages.
Array2<std::uint16_t> unpack_rvl(std::span<const std::uint8_t> packed, std::size_t rows, std::size_t cols,
                                 const std::string& place);

}  // namespace fernwood::recordings
