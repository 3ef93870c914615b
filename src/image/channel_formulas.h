// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What one pixel gives each channel, once for every device. Lab has a header of its own: fernwood/image/lab.h.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/channels.h"

namespace fernwood::image {

/// A primary in 1/128 of an 8-bit step, which uses the 15 bits of a channel.
FW_HD std::int16_t primary_value(std::uint8_t primary) { return static_cast<std::int16_t>(primary * 128); }

/// Luma of ITU-R BT.601 in 8 bits.
FW_HD std::int16_t grey_of(Rgb color) {
  return static_cast<std::int16_t>((77 * color.r + 150 * color.g + 29 * color.b + 128) >> 8);
}

/// The whole part of a square root: exact, for IEEE 754 rounds square roots correctly and 53 bits keep r^2 - 1 from
/// r^2.
FW_HD std::int32_t integer_sqrt(std::int32_t value) {
  return static_cast<std::int32_t>(std::sqrt(static_cast<double>(value)));
}

/// The grey of a row of pixels.
struct GreyRow {
  const Rgb* color;
  FW_HD std::int16_t operator[](std::int32_t x) const { return grey_of(color[x]); }
};

/// Sobel gradient magnitude of three rows of grey at column x, between columns `left` and `right`.
/// @tparam Greys  Has them by column: a GreyRow, or a pointer.
template <typename Greys>
FW_HD std::int16_t gradient_value(const Greys& above, const Greys& here, const Greys& below, std::int32_t left,
                                  std::int32_t x, std::int32_t right) {
  constexpr int kScale = 16;  // the largest magnitude is below 1443, so 1/16 uses the 15 bits of a channel
  const int gx = above[right] + 2 * here[right] + below[right] - above[left] - 2 * here[left] - below[left];
  const int gy = below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
  return static_cast<std::int16_t>(integer_sqrt(kScale * kScale * (gx * gx + gy * gy)));
}

FW_HD bool is_known_depth(std::uint16_t depth_mm) { return depth_mm > 0 && depth_mm <= kMaxDepthMm; }

FW_HD std::int16_t depth_value(std::uint16_t depth_mm) {
  return is_known_depth(depth_mm) ? static_cast<std::int16_t>(depth_mm) : kUnknown;
}

/// What a value adds to the sum of known values, modulo 2^32.
FW_HD std::uint32_t known_value(std::int16_t value) {
  return value != kUnknown ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) : 0u;
}

}  // namespace fernwood::image
