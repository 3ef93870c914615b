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

}  // namespace fernwood
