// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "image/channel_formulas.h"

namespace fernwood::image {
namespace {

static_assert(std::is_trivially_copyable_v<LabTables>, "a device gets a copy");

Lab lab_of(int r, int g, int b) {
  return rgb_to_lab({static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)},
                    lab_tables());
}

struct RealLab {
  double l, a, b;
};

/// The formulas of IEC 61966-2-1 and CIE 15 in double precision.
RealLab exact_lab(Rgb color) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : 841.0 / 108 * t + 4.0 / 29; };
  const double r = linear(color.r / 255.0), g = linear(color.g / 255.0), b = linear(color.b / 255.0);
  const double fx = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double fy = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double fz = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)};
}

/// Steps of 15 include black, white and all primaries; the other values are dark or lie between the steps.
std::vector<Rgb> color_grid() {
  std::vector<Rgb> colors;
  for (int r = 0; r < 256; r += 15)
    for (int g = 0; g < 256; g += 15)
      for (int b = 0; b < 256; b += 15) {
        const auto byte = [](int v) { return static_cast<std::uint8_t>(v); };
        colors.push_back({byte(r), byte(g), byte(b)});
        colors.push_back({byte(r / 16), byte(g / 16), byte(b / 16)});
        colors.push_back({byte(r ^ 5), byte(g ^ 3), byte(b ^ 9)});
      }
  return colors;
}

TEST(Lab, KnownColorsHaveTheValuesOfTheStandard) {
  EXPECT_EQ(lab_of(255, 255, 255), (Lab{25600, 0, 0}));  // L = 100
  EXPECT_EQ(lab_of(0, 0, 0), (Lab{0, 0, 0}));
  // For 128 / 255, Y = 0.215861 and L = 116 * 0.599871 - 16 = 53.585; times 256 is 13717.8.
  EXPECT_EQ(lab_of(128, 128, 128), (Lab{13718, 0, 0}));
  // Below Y = 0.008856, L = 903.2963 Y. Here L = 903.2963 / (255 * 12.92) = 0.27418; times 256 is 70.2.
  EXPECT_EQ(lab_of(1, 1, 1), (Lab{70, 0, 0}));
  // By tables of sRGB colours, red is (53.2408, 80.0925, 67.2032); times 256 (13629.6, 20503.7, 17204.0).
  EXPECT_EQ(lab_of(255, 0, 0), (Lab{13630, 20504, 17204}));
}

TEST(Lab, GreysAreExactlyNeutralAndGrowLighter) {
  int last = -1;
  for (int v = 0; v < 256; ++v) {
    const Lab lab = lab_of(v, v, v);
    EXPECT_EQ(lab.a, 0) << v;
    EXPECT_EQ(lab.b, 0) << v;
    EXPECT_GT(lab.l, last) << v;
    last = lab.l;
  }
}

TEST(Lab, StaysCloseToTheExactFormula) {
  for (const Rgb c : color_grid()) {
    const Lab lab = rgb_to_lab(c, lab_tables());
    const RealLab exact = exact_lab(c);
    ASSERT_NEAR(lab.l / 256.0, exact.l, 0.01) << int{c.r} << " " << int{c.g} << " " << int{c.b};
    ASSERT_NEAR(lab.a / 256.0, exact.a, 0.02) << int{c.r} << " " << int{c.g} << " " << int{c.b};
    ASSERT_NEAR(lab.b / 256.0, exact.b, 0.01) << int{c.r} << " " << int{c.g} << " " << int{c.b};
  }
}

TEST(Lab, RoundsToTheNearestStep) {
  double l = 0, a = 0, b = 0;
  const std::vector<Rgb> colors = color_grid();
  for (const Rgb c : colors) {
    const Lab lab = rgb_to_lab(c, lab_tables());
    const RealLab exact = exact_lab(c);
    l += lab.l - exact.l * kLabUnit;
    a += lab.a - exact.a * kLabUnit;
    b += lab.b - exact.b * kLabUnit;
  }
  // Rounding down would cause a mean error of half a step.
  EXPECT_NEAR(l / static_cast<double>(colors.size()), 0, 0.1);
  EXPECT_NEAR(a / static_cast<double>(colors.size()), 0, 0.1);
  EXPECT_NEAR(b / static_cast<double>(colors.size()), 0, 0.1);
}

TEST(Lab, SegmentsOfTheCubeRootMeet) {
  const LabTables& tables = lab_tables();
  EXPECT_EQ(lab_f(0, tables), 9039 << 9);              // 4/29 * 2^16 = 9039.4
  EXPECT_EQ(lab_f(1u << 20, tables), 1 << 25);         // f(1) = 1
  EXPECT_EQ(lab_f(1u << 17, tables), 1 << 24);         // f(1/8) = 1/2
  for (int i = 1; i < LabTables::kNumSegments; ++i) {  // extended to its end, a segment gives the start of the next
    const std::int32_t v = i << LabTables::kSegmentBits;
    const LabTables::Segment before = tables.f[i - 1];
    ASSERT_EQ(before.base + before.slope * v, lab_f(static_cast<std::uint32_t>(v), tables)) << i;
  }
}

}  // namespace
}  // namespace fernwood::image
