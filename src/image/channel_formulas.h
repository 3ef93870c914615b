// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Formulas for the channel values of a pixel, shared by all devices.

#include <cmath>
#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/channels.h"

namespace fernwood::image {

/// CIE L*a*b* in fixed point: in units of 1/256, so that L is 0 … 25600 and a, b lie within +-32767.
struct Lab {
  std::int16_t l, a, b;
  bool operator==(const Lab&) const = default;
};
inline constexpr int kLabUnit = 256;  ///< Steps per CIE unit of L*, a* or b*.

/// Tables of the conversion, in integers only, so that all devices give the same bits. Plain data that can be copied to
/// a device.
struct LabTables {
  static constexpr int kXyzBits = 20;     ///< X/Xn, Y/Yn and Z/Zn range from 0 to 2^20.
  static constexpr int kSegmentBits = 9;  ///< They are divided into segments of 2^9, in each of which f is linear.
  static constexpr int kNumSegments = (1 << (kXyzBits - kSegmentBits)) + 1;

  /// f(v) = base + slope * v in units of 2^-25: the cube root of CIE 15 with its linear part near black.
  struct Segment {
    std::int32_t base, slope;
  };

  /// Contribution of a primary's value to X/Xn (bits 0 … 20), Y/Yn (bits 21 … 41) and Z/Zn (bits 42 … 62).
  std::uint64_t red[256], green[256], blue[256];
  Segment f[kNumSegments];
};

/// Tables for sRGB (IEC 61966-2-1) and the white point D65, computed once, from integers.
const LabTables& lab_tables();

/// f of the CIE L*a*b* formula in units of 2^-25. @param v  X/Xn, Y/Yn or Z/Zn in units of 2^-20.
FW_HD std::int32_t lab_f(std::uint32_t v, const LabTables& tables) {
  const LabTables::Segment segment = tables.f[v >> LabTables::kSegmentBits];
  return segment.base + segment.slope * static_cast<std::int32_t>(v);
}

/// CIE L*a*b* (D65) of an sRGB colour; L and b are within 0.01 units of the exact formula, a within
/// 0.02. Greys have a = b = 0 exactly.
FW_HD Lab rgb_to_lab(Rgb color, const LabTables& tables) {
  constexpr std::uint32_t kMask = (1u << (LabTables::kXyzBits + 1)) - 1;
  const std::uint64_t xyz = tables.red[color.r] + tables.green[color.g] + tables.blue[color.b];
  const std::int32_t fx = lab_f(static_cast<std::uint32_t>(xyz) & kMask, tables);
  const std::int32_t fy = lab_f(static_cast<std::uint32_t>(xyz >> 21) & kMask, tables);
  const std::int32_t fz = lab_f(static_cast<std::uint32_t>(xyz >> 42), tables);
  // 256 * 116 f = 29 f 2^10, 256 * 500 f = 125 f 2^10 and 256 * 200 f = 25 f 2^11: with 25 bits of fraction, all
  // products fit.
  return {static_cast<std::int16_t>(((29 * fy + (1 << 14)) >> 15) - 16 * kLabUnit),
          static_cast<std::int16_t>((125 * (fx - fy) + (1 << 14)) >> 15),
          static_cast<std::int16_t>((25 * (fy - fz) + (1 << 13)) >> 14)};
}

/// A primary in units of 1/128 of an 8-bit step, which uses the 15 bits of a channel.
FW_HD std::int16_t primary_value(std::uint8_t primary) { return static_cast<std::int16_t>(primary * 128); }

/// 8-bit luma of ITU-R BT.601.
FW_HD std::int16_t grey_of(Rgb color) {
  return static_cast<std::int16_t>((77 * color.r + 150 * color.g + 29 * color.b + 128) >> 8);
}

/// Integer part of the square root. Exact, because IEEE 754 square roots are correctly rounded and 53 bits distinguish
/// r^2 - 1 from r^2.
FW_HD std::int32_t integer_sqrt(std::int32_t value) {
  return static_cast<std::int32_t>(std::sqrt(static_cast<double>(value)));
}

/// Grey values of a row of pixels.
struct GreyRow {
  const Rgb* color;
  FW_HD std::int16_t operator[](std::int32_t x) const { return grey_of(color[x]); }
};

/// Sobel gradient magnitude at column x of three rows of grey, with columns clamped to [left, right].
/// @tparam Greys  Indexed by column: a GreyRow, or a pointer.
template <typename Greys, typename Index>
FW_HD std::int16_t gradient_value(const Greys& above, const Greys& here, const Greys& below, Index left, Index x,
                                  Index right) {
  constexpr int kScale = 16;  // the largest magnitude is below 1443, so 1/16 uses the 15 bits of a channel
  const int gx = above[right] + 2 * here[right] + below[right] - above[left] - 2 * here[left] - below[left];
  const int gy = below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
  return static_cast<std::int16_t>(integer_sqrt(kScale * kScale * (gx * gx + gy * gy)));
}

FW_HD std::int16_t depth_value(std::uint16_t depth_mm) {
  return is_known_depth(depth_mm) ? static_cast<std::int16_t>(depth_mm) : kUnknown;
}

/// Contribution of a value to the sum of known values, modulo 2^32.
FW_HD std::uint32_t known_value(std::int16_t value) {
  return value != kUnknown ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) : 0u;
}

}  // namespace fernwood::image
