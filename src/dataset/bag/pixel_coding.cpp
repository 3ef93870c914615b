// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/pixel_coding.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

constexpr PixelCoding bayer_coding(std::string_view name, std::array<std::uint8_t, 4> pattern) {
  PixelCoding coding;
  coding.name = name;
  coding.is_bayer = true;
  coding.bayer = pattern;
  return coding;
}

constexpr PixelCoding depth_coding(std::string_view name, std::size_t pixel_bytes, bool is_float = false) {
  PixelCoding coding;
  coding.name = name;
  coding.pixel_bytes = pixel_bytes;
  coding.is_float = is_float;
  return coding;
}

constexpr PixelCoding color_coding(std::string_view name, std::size_t pixel_bytes, std::array<std::uint8_t, 3> rgb) {
  PixelCoding coding;
  coding.name = name;
  coding.pixel_bytes = pixel_bytes;
  coding.rgb = rgb;
  coding.is_grey = pixel_bytes == 1;
  return coding;
}

constexpr std::array<PixelCoding, 13> kPixelCodings = {color_coding("rgb8", 3, {0, 1, 2}),
                                                       color_coding("bgr8", 3, {2, 1, 0}),
                                                       color_coding("rgba8", 4, {0, 1, 2}),
                                                       color_coding("bgra8", 4, {2, 1, 0}),
                                                       color_coding("mono8", 1, {0, 0, 0}),
                                                       color_coding("8UC1", 1, {0, 0, 0}),
                                                       bayer_coding("bayer_rggb8", {0, 1, 1, 2}),
                                                       bayer_coding("bayer_bggr8", {2, 1, 1, 0}),
                                                       bayer_coding("bayer_gbrg8", {1, 2, 0, 1}),
                                                       bayer_coding("bayer_grbg8", {1, 0, 2, 1}),
                                                       depth_coding("16UC1", 2),
                                                       depth_coding("mono16", 2),
                                                       depth_coding("32FC1", 4, /*is_float=*/true)};

/// Interpolates a pixel of a Bayer image, which has one channel per pixel.
image::Rgb interpolated(const PixelCoding& coding, const ros::Image& image, std::size_t row, std::size_t col) {
  const auto channel_at = [&](std::size_t r, std::size_t c) { return coding.bayer[2 * (r & 1) + (c & 1)]; };
  const auto value_at = [&](std::size_t r, std::size_t c) { return image.data[r * image.step + c]; };
  std::array<int, 3> sums = {}, counts = {};
  for (std::size_t r = row - (row > 0 ? 1 : 0); r <= std::min<std::size_t>(row + 1, image.height - 1); ++r)
    for (std::size_t c = col - (col > 0 ? 1 : 0); c <= std::min<std::size_t>(col + 1, image.width - 1); ++c) {
      sums[channel_at(r, c)] += value_at(r, c);
      ++counts[channel_at(r, c)];
    }
  std::array<std::uint8_t, 3> values = {};
  for (std::size_t k = 0; k < 3; ++k)
    values[k] = counts[k] == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>((sums[k] + counts[k] / 2) / counts[k]);
  values[channel_at(row, col)] = value_at(row, col);
  return {values[0], values[1], values[2]};
}

template <std::size_t kBytes>
void take_row(const PixelCoding& coding, const std::uint8_t* from, std::span<image::Rgb> pixels) {
  const auto [r, g, b] = coding.rgb;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = {from[kBytes * i + r], from[kBytes * i + g], from[kBytes * i + b]};
}

}  // namespace

const PixelCoding* find_pixel_coding(std::string_view name) {
  const auto* const found = std::ranges::find(kPixelCodings, name, &PixelCoding::name);
  return found == kPixelCodings.end() ? nullptr : found;
}

std::string pixel_coding_names(bool of_depth) {
  std::vector<std::string> names;
  for (const PixelCoding& coding : kPixelCodings)
    if (coding.is_depth() == of_depth) names.emplace_back(coding.name);
  return list_names(names);
}

Array2<image::Rgb> decode_pixels(const PixelCoding& coding, const ros::Image& image) {
  Array2<image::Rgb> picture(image.height, image.width);
  for (std::size_t row = 0; row < picture.rows(); ++row) {
    const std::uint8_t* const from = image.data.data() + row * image.step;
    const std::span pixels(picture.row(row), picture.cols());
    if (coding.is_bayer)
      for (std::size_t col = 0; col < pixels.size(); ++col) pixels[col] = interpolated(coding, image, row, col);
    else if (coding.name == "rgb8")
      std::memcpy(pixels.data(), from, pixels.size_bytes());
    else if (coding.pixel_bytes == 4)
      take_row<4>(coding, from, pixels);
    else if (coding.pixel_bytes == 3)
      take_row<3>(coding, from, pixels);
    else
      take_row<1>(coding, from, pixels);
  }
  return picture;
}

}  // namespace fernwood::dataset
