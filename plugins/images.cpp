// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in images: image formats that are rare for frames (TIFF, BMP, PGM, PPM and PFM, WebP), read by OpenCV.

#include <algorithm>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string_view>

#include "fernwood/dataset/image_io.h"

namespace {

/// Needed because OpenCV tries the decoders of many more formats, and its DICOM decoder prints to stderr.
bool is_known_kind(std::string_view bytes) {
  const bool is_pnm = bytes.size() > 2 && bytes[0] == 'P' && ((bytes[1] >= '1' && bytes[1] <= '6') || bytes[1] == 'f');
  const bool is_tiff =
      bytes.starts_with(std::string_view("II*\0", 4)) || bytes.starts_with(std::string_view("MM\0*", 4));
  const bool is_webp = bytes.starts_with("RIFF") && bytes.substr(std::min<std::size_t>(8, bytes.size()), 4) == "WEBP";
  return is_pnm || is_tiff || is_webp || bytes.starts_with("BM");
}

}  // namespace

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

bool fernwood_decode_image(const std::uint8_t* bytes, std::size_t size_bytes, fernwood::dataset::FallbackImage* image) {
  if (!is_known_kind({reinterpret_cast<const char*>(bytes), size_bytes})) return false;
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  try {
    const cv::Mat file(1, static_cast<int>(size_bytes), CV_8UC1, const_cast<std::uint8_t*>(bytes));
    cv::Mat pixels = cv::imdecode(file, cv::IMREAD_UNCHANGED);  // as stored: the orientation tag is not applied
    image->is_float = pixels.type() == CV_32FC1;
    const bool is_known = pixels.depth() == CV_8U || pixels.depth() == CV_16U || image->is_float;
    if (pixels.empty() || !is_known || !pixels.isContinuous() || pixels.channels() == 2 || pixels.channels() > 4)
      return false;
    image->rows = static_cast<std::size_t>(pixels.rows);
    image->cols = static_cast<std::size_t>(pixels.cols);
    image->bits = 8 * static_cast<int>(pixels.elemSize1());
    image->num_channels = pixels.channels();
    image->bytes.resize(pixels.total() * pixels.elemSize());
    std::memcpy(image->bytes.data(), pixels.data, image->bytes.size());
  } catch (const cv::Exception&) {
    return false;
  }
  // OpenCV stores channels in the order blue, green, red.
  const auto value_bytes = static_cast<std::size_t>(image->bits / 8);
  const std::size_t pixel_bytes = value_bytes * static_cast<std::size_t>(image->num_channels);
  if (image->num_channels >= 3)
    for (std::size_t at = 0; at < image->bytes.size(); at += pixel_bytes)
      std::swap_ranges(&image->bytes[at], &image->bytes[at] + value_bytes, &image->bytes[at] + 2 * value_bytes);
  return true;
}
}
