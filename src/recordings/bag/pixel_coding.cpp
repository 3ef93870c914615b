// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/pixel_coding.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "ros/byte_reader.h"

namespace fernwood::recordings {

namespace {

constexpr std::array kPixelCodings = std::to_array<PixelCoding>({
    {"rgb8", PixelForm::kColor, 3, {0, 1, 2}},
    {"bgr8", PixelForm::kColor, 3, {2, 1, 0}},
    {"8UC3", PixelForm::kColor, 3, {2, 1, 0}},  // as cv_bridge names BGR without an encoding
    {"rgba8", PixelForm::kColor, 4, {0, 1, 2}},
    {"bgra8", PixelForm::kColor, 4, {2, 1, 0}},
    {"8UC4", PixelForm::kColor, 4, {2, 1, 0}},
    {"mono8", PixelForm::kGrey},
    {"8UC1", PixelForm::kGrey},
    {"bayer_rggb8", PixelForm::kBayer, 1, {0, 1, 1, 2}},
    {"bayer_bggr8", PixelForm::kBayer, 1, {2, 1, 1, 0}},
    {"bayer_gbrg8", PixelForm::kBayer, 1, {1, 2, 0, 1}},
    {"bayer_grbg8", PixelForm::kBayer, 1, {1, 0, 2, 1}},
    {"yuv422", PixelForm::kYuv422, 2, {1, 0, 2}},
    {"uyvy", PixelForm::kYuv422, 2, {1, 0, 2}},
    {"yuv422_yuy2", PixelForm::kYuv422, 2, {0, 1, 3}},
    {"yuyv", PixelForm::kYuv422, 2, {0, 1, 3}},
    {"nv12", PixelForm::kYuv420, 1, {0, 0, 1}},
    {"nv21", PixelForm::kYuv420, 1, {0, 1, 0}},
    {"16UC1", PixelForm::kDepth, 2},
    {"16SC1", PixelForm::kDepth, 2},
    {"mono16", PixelForm::kDepth, 2},
    {"32FC1", PixelForm::kFloatDepth, 4},
});

/// BT.601 with luma from 16 to 235, in fixed point with 20 fractional bits.
image::Rgb rgb_of_yuv(int luma, int u, int v) {
  constexpr int kBits = 20, kHalf = 1 << (kBits - 1);
  constexpr int kLuma = 1220542, kRedOfV = 1673527, kGreenOfV = -852492, kGreenOfU = -409993, kBlueOfU = 2116026;
  const int level = std::max(luma - 16, 0) * kLuma + kHalf;
  const auto byte = [](int sum) { return static_cast<std::uint8_t>(std::clamp(sum >> kBits, 0, 255)); };
  u -= 128;
  v -= 128;
  return {byte(level + kRedOfV * v), byte(level + kGreenOfV * v + kGreenOfU * u), byte(level + kBlueOfU * u)};
}

image::Rgb yuv_pixel(const PixelCoding& coding, const ros::Image& image, std::size_t row, std::size_t col) {
  const auto [y, u, v, unused] = coding.places;
  const std::uint8_t* const luma = image.data.data() + row * image.step;
  if (coding.form == PixelForm::kYuv422) {
    const std::uint8_t* const pair = luma + col / 2 * 4;
    return rgb_of_yuv(pair[y + col % 2 * 2], pair[u], pair[v]);
  }
  const std::uint8_t* const chroma = image.data.data() + (image.height + row / 2) * image.step + col / 2 * 2;
  return rgb_of_yuv(luma[col], chroma[u], chroma[v]);
}

/// Interpolates a pixel of a Bayer image, which has one channel per pixel.
image::Rgb interpolated(const PixelCoding& coding, const ros::Image& image, std::size_t row, std::size_t col) {
  const auto channel_at = [&](std::size_t r, std::size_t c) { return coding.places[2 * (r & 1) + (c & 1)]; };
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
  const auto [r, g, b, unused] = coding.places;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = {from[kBytes * i + r], from[kBytes * i + g], from[kBytes * i + b]};
}

}  // namespace

std::size_t PixelCoding::row_bytes(std::size_t cols) const {
  const bool has_pairs = form == PixelForm::kYuv422 || form == PixelForm::kYuv420;
  return (has_pairs ? cols + cols % 2 : cols) * pixel_bytes;
}

std::size_t PixelCoding::num_rows(std::size_t rows) const {
  return form == PixelForm::kYuv420 ? rows + (rows + 1) / 2 : rows;
}

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
    if (coding.form == PixelForm::kBayer)
      for (std::size_t col = 0; col < pixels.size(); ++col) pixels[col] = interpolated(coding, image, row, col);
    else if (coding.form == PixelForm::kYuv422 || coding.form == PixelForm::kYuv420)
      for (std::size_t col = 0; col < pixels.size(); ++col) pixels[col] = yuv_pixel(coding, image, row, col);
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

namespace {

/// Variable-length numbers of three bits per digit, the lowest first; the fourth bit indicates a further digit. The
/// first digit of a word is its highest four bits.
class RvlNumbers {
 public:
  RvlNumbers(std::span<const std::uint8_t> bytes, const std::string& place) : reader_(bytes, place), place_(place) {}

  std::uint32_t next() {
    constexpr int kMaxShift = 29;
    std::uint32_t number = 0;
    for (int shift = 0;; shift += 3) {
      FW_CHECK(shift <= kMaxShift, Data, place_ << ": the depth is damaged (its RVL has a number without an end)");
      if (num_digits_ == 0) {
        word_ = reader_.number<std::uint32_t>();
        num_digits_ = 8;
      }
      const std::uint32_t digit = word_ >> 28;
      word_ <<= 4;
      --num_digits_;
      number |= (digit & 7) << shift;
      if ((digit & 8) == 0) return number;
    }
  }

 private:
  ros::ByteReader reader_;
  const std::string& place_;
  std::uint32_t word_ = 0;
  int num_digits_ = 0;
};

}  // namespace

Array2<std::uint16_t> unpack_rvl(std::span<const std::uint8_t> packed, std::size_t rows, std::size_t cols,
                                 const std::string& place) {
  Array2<std::uint16_t> depth(rows, cols);
  RvlNumbers numbers(packed, place);
  std::uint32_t previous = 0;
  for (std::size_t at = 0; at < depth.size();) {
    const std::size_t num_zeros = numbers.next(), num_known = numbers.next();
    FW_CHECK(num_zeros + num_known <= depth.size() - at && num_zeros + num_known > 0, Data,
             place << ": the depth is damaged (its RVL data have other pixels than the " << depth.size() << " of "
                   << cols << " x " << rows << ")");
    at += num_zeros;
    for (std::size_t i = 0; i < num_known; ++i) {
      const std::uint32_t folded = numbers.next();  // zigzag: 0, -1, 1, -2 … are stored as 0, 1, 2, 3 …
      previous += (folded >> 1) ^ (0u - (folded & 1));
      depth.data()[at++] = static_cast<std::uint16_t>(previous);
    }
  }
  return depth;
}

}  // namespace fernwood::recordings
