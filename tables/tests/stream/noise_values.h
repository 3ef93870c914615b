// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/draw.h"

namespace fernwood::stream {

inline constexpr float kInfinity = __builtin_inff();

/// A pseudorandom number in [0, 2^32) for each index.
inline std::uint32_t noise(std::uint32_t series, std::uint32_t index) {
  return draw(7, RngStream::kScene, 0, series, index).word[0];
}

/// `count` pseudorandom numbers in [low, low + width), with 24 random bits each.
inline std::vector<float> noise_values(std::uint32_t series, std::uint32_t count, float low, float width) {
  std::vector<float> values(count);
  for (std::uint32_t i = 0; i < count; ++i) values[i] = low + width * draw(7, RngStream::kScene, 1, series, i).unit(0);
  return values;
}

}  // namespace fernwood::stream
