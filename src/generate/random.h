// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "core/draw.h"

namespace fernwood::generate {

/// Purposes of a scene's random numbers; the values are part of "same seed, same bytes".
enum class Topic : std::uint32_t {
  kRoom = 0,
  kCamera = 1,
  kFurniture = 2,
  kThings = 3,
  kLight = 4,
  kLook = 5,
  kMovingThings = 6
};

/// A sequence of random numbers for one purpose in one scene. C++ does not specify the order of a call's arguments, so
/// only a braced list may draw twice in one expression.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint32_t scene, Topic topic) : seed_(seed), scene_(scene), topic_(topic) {}

  std::uint32_t word() {
    if (used_ == 4) {
      draw_ = draw(seed_, RngStream::kScene, 0, static_cast<std::uint32_t>(topic_), scene_, count_++);
      used_ = 0;
    }
    return draw_.word[used_++];
  }
  /// In [0, 1).
  float unit() { return static_cast<float>(word() >> 8) * (1.0f / 16777216.0f); }
  float range(float low, float high) { return low + (high - low) * unit(); }
  /// A whole number in [low, high].
  int between(int low, int high) {
    const std::uint64_t span = static_cast<std::uint64_t>(high - low + 1);
    return low + static_cast<int>((word() * span) >> 32);
  }
  bool chance(float probability) { return unit() < probability; }
  template <typename T, std::size_t N>
  const T& pick(const std::array<T, N>& items) {
    return items[static_cast<std::size_t>(between(0, static_cast<int>(N) - 1))];
  }

 private:
  std::uint64_t seed_;
  std::uint32_t scene_;
  Topic topic_;
  Draw draw_{};
  std::uint32_t count_ = 0;
  int used_ = 4;
};

/// The random numbers of one pixel of one scene. @param frame  Frame of its sequence.
inline Draw pixel_draw(std::uint64_t seed, std::uint32_t scene, std::uint32_t pixel, std::uint32_t frame) {
  return draw(seed, RngStream::kScene, 1, scene, pixel, frame);
}

/// A smooth curve over time with values in [-1, 1]: a uniform cubic B-spline, whose control points are random numbers.
/// @param curve  Index among the scene's curves. @param knot_s  Seconds between control points; the curve keeps its
///               direction for about as long. @param time_s  At least 0.
inline float smooth_curve(std::uint64_t seed, std::uint32_t scene, std::uint32_t curve, float knot_s, float time_s) {
  const float knots = time_s / knot_s, first = std::floor(knots), u = knots - first, v = 1.0f - u;
  const float weights[] = {v * v * v, 4.0f - 3.0f * u * u * (2.0f - u), 4.0f - 3.0f * v * v * (2.0f - v), u * u * u};
  float sum = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const float point = draw(seed, RngStream::kScene, 3, scene, curve, static_cast<std::uint32_t>(first) + i).unit(0);
    sum += weights[i] * (2.0f * point - 1.0f);
  }
  return sum * (1.0f / 6.0f);
}

/// Approximately normal, mean 0, standard deviation 1, within +-3.5: the sum of the word's four bytes. Each has the
/// variance (256^2 - 1) / 12, the sum 4 times as much, hence 147.8.
inline float gauss(std::uint32_t word) {
  const std::uint32_t sum = (word & 255) + ((word >> 8) & 255) + ((word >> 16) & 255) + (word >> 24);
  return (static_cast<float>(sum) - 510.0f) * (1.0f / 147.8f);
}

/// Scrambles 32 bits (the finaliser of MurmurHash3).
inline std::uint32_t scramble(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

/// A number in [0, 1) for a cell of a grid. For textures only: the contents of a scene come from Dice.
inline float cell_noise(std::uint32_t seed, int x, int y) {
  const std::uint32_t h = scramble(seed ^ scramble(static_cast<std::uint32_t>(x) * 0x9e3779b1u ^
                                                   scramble(static_cast<std::uint32_t>(y) + 0x7f4a7c15u)));
  return static_cast<float>(h >> 8) * (1.0f / 16777216.0f);
}

/// Smooth noise in [0, 1): cell_noise at whole numbers, interpolated in between.
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
