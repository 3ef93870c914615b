// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "image/channel_formulas.h"

namespace fernwood::image {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

struct Vision {
  const char* name;
  Matrix from_linear;  ///< Applies to linear sRGB. Machado, Oliveira and Fernandes 2009, severity 1.
};

constexpr Vision kVisions[] = {
    {"normal vision", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}}};

double linear(std::uint8_t value) {
  const double c = value / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::uint8_t encoded(double light) {
  const double l = std::clamp(light, 0.0, 1.0);
  return static_cast<std::uint8_t>(
      std::lround(255 * (l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055)));
}

Rgb seen(Rgb color, const Vision& vision) {
  const double light[] = {linear(color.r), linear(color.g), linear(color.b)};
  std::array<std::uint8_t, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& row = vision.from_linear[i];
    out[i] = encoded(row[0] * light[0] + row[1] * light[1] + row[2] * light[2]);
  }
  return {out[0], out[1], out[2]};
}

/// Euclidean distance in CIE L*a*b* of two colours, as seen with `vision`.
double distance(Rgb first, Rgb second, const Vision& vision) {
  const Lab p = rgb_to_lab(seen(first, vision), lab_tables()), q = rgb_to_lab(seen(second, vision), lab_tables());
  return std::hypot(double(p.l) - q.l, double(p.a) - q.a, double(p.b) - q.b) / kLabUnit;
}

void expect_apart(std::span<const Rgb> colors, double least) {
  for (const Vision& vision : kVisions)
    for (std::size_t i = 0; i < colors.size(); ++i) {
      EXPECT_GE(distance(colors[i], Rgb{0, 0, 0}, vision), least) << vision.name << ": " << i << " and black";
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_GE(distance(colors[i], colors[k], vision), least) << vision.name << ": " << k << " and " << i;
    }
}

TEST(ClassPalette, SimulationMergesWhatADeuteranopeCannotTellApart) {
  // Former colours of wall and bottle in generated rooms.
  EXPECT_GT(distance({150, 180, 210}, {40, 200, 210}, kVisions[0]), 30);
  EXPECT_LT(distance({150, 180, 210}, {40, 200, 210}, kVisions[1]), 12);
}

TEST(ClassPalette, EveryVisionTellsColorsFromEachOtherAndFromVoid) {
  ASSERT_EQ(class_palette().size(), 32u);
  expect_apart(class_palette().first(10), 25);
  expect_apart(class_palette(), 12);
}

/// Contrast ratio of WCAG 2: 1 for equal luminances, 21 for black on white.
double contrast(Rgb first, Rgb second) {
  const auto luminance = [](Rgb c) {
    return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b) + 0.05;
  };
  const auto [low, high] = std::minmax({luminance(first), luminance(second)});  // values, as the argument is a list
  return high / low;
}

TEST(ClassPalette, ChartColorsStandOutOnLightAndOnDarkGround) {
  for (const Rgb color : class_palette().first(kNumChartColors)) {
    EXPECT_GE(contrast(color, {251, 251, 250}), 1.4);
    EXPECT_GE(contrast(color, {20, 24, 27}), 1.4);
  }
}

}  // namespace
}  // namespace fernwood::image
