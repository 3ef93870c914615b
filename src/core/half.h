// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <bit>
#include <cstdint>

namespace fernwood {

/// Converts a half (IEEE 754 binary16) to float, exactly.
inline float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 1023u;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * (1.0f / (1 << 24));
    return sign ? -small : small;
  }
  const std::uint32_t wide = exponent == 31 ? 255u : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

/// Converts a float to the nearest half, ties to even; finite numbers beyond the largest become that.
inline std::uint16_t to_half(float value) {
  constexpr std::uint32_t kLargest = 0x7bff, kInfinity = 0x7c00, kNan = 0x7e00;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  if (magnitude >= 0x7f800000u) return static_cast<std::uint16_t>(sign | (magnitude > 0x7f800000u ? kNan : kInfinity));
  std::uint32_t half = 0;
  if (magnitude < 0x38800000u) {  // below 2^-14: adding 0.5 leaves the multiples of 2^-24 in the last bits
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  } else {
    const std::uint32_t odd = magnitude >> 13 & 1u;
    half = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  }
  return static_cast<std::uint16_t>(sign | (half < kLargest ? half : kLargest));
}

}  // namespace fernwood
