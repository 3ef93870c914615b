// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/project_state.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fernwood/image/labels.h"

namespace fernwood::teach {

namespace {

constexpr double kFirstHueDeg = 173, kGoldenAngleDeg = 137.5;
/// Squared distance in RGB at which adjacent colours are distinguishable.
constexpr int kTellsApart = 60 * 60;
constexpr int kCandidates = 512;

/// [i] Hues far from the previous ones, with another lightness after each turn of the colour circle.
image::Rgb candidate(int i) {
  constexpr int kHuesOfATurn = 16;
  constexpr std::array kLightness = {0.39, 0.62, 0.27, 0.75};
  const double hue = std::fmod(kFirstHueDeg + i * kGoldenAngleDeg, 360) / 30;
  const double lightness = kLightness[static_cast<std::size_t>(i / kHuesOfATurn) % kLightness.size()];
  const double chroma = 0.6 * std::min(lightness, 1 - lightness);
  const auto value = [&](double shift) {
    const double k = std::fmod(shift + hue, 12);
    return static_cast<std::uint8_t>(
        std::lround(255 * (lightness - chroma * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  return {value(0), value(8), value(4)};
}

int squared_distance(image::Rgb a, image::Rgb b) {
  const int r = a.r - b.r, g = a.g - b.g, blue = a.b - b.b;
  return r * r + g * g + blue * blue;
}

}  // namespace

image::Rgb free_color_among(const std::vector<TaughtClass>& classes) {
  const auto nearest = [&](image::Rgb color) {
    int least = squared_distance(color, {});
    for (const TaughtClass& one : classes) least = std::min(least, squared_distance(color, one.color));
    return least;
  };
  for (const image::Rgb color : image::class_palette())
    if (nearest(color) >= kTellsApart) return color;
  image::Rgb best;
  int farthest = 0;
  for (int i = 0; i < kCandidates; ++i) {
    const image::Rgb color = candidate(i);
    const int distance = nearest(color);
    if (distance >= kTellsApart) return color;
    if (distance > farthest) best = color, farthest = distance;
  }
  // More classes than candidate colours: any unused colour.
  for (int rgb = 1; farthest == 0; ++rgb) {
    best = {static_cast<std::uint8_t>(rgb), static_cast<std::uint8_t>(rgb >> 8), static_cast<std::uint8_t>(rgb >> 16)};
    farthest = nearest(best);
  }
  return best;
}

}  // namespace fernwood::teach
