// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cmath>
#include <cstdint>

namespace fernwood::generate {

/// Scrambles 32 bits (the finaliser of MurmurHash3).
inline std::uint32_t scramble(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

/// A number in [0, 1) for a cell of a grid. Textures only: what a scene holds comes from Dice.
inline float cell_noise(std::uint32_t seed, int x, int y) {
  const std::uint32_t h = scramble(seed ^ scramble(static_cast<std::uint32_t>(x) * 0x9e3779b1u ^
                                                   scramble(static_cast<std::uint32_t>(y) + 0x7f4a7c15u)));
  return static_cast<float>(h >> 8) * (1.0f / 16777216.0f);
}

/// Smooth noise in [0, 1): cell_noise at the whole numbers, blended in between.
inline float smooth_noise(std::uint32_t seed, float u, float v) {
  const float u0 = std::floor(u), v0 = std::floor(v);
  const float fu = u - u0, fv = v - v0;
  const float wu = fu * fu * (3.0f - 2.0f * fu), wv = fv * fv * (3.0f - 2.0f * fv);
  const int x = static_cast<int>(u0), y = static_cast<int>(v0);
  const float top = cell_noise(seed, x, y) * (1.0f - wu) + cell_noise(seed, x + 1, y) * wu;
  const float bottom = cell_noise(seed, x, y + 1) * (1.0f - wu) + cell_noise(seed, x + 1, y + 1) * wu;
  return top * (1.0f - wv) + bottom * wv;
}

}  // namespace fernwood::generate
