// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <memory>

#include "fernwood/image/labels.h"
#include "image/channel_formulas.h"

namespace fernwood::image {

namespace {

constexpr int kFractionBits = 31;  // of the fixed-point numbers below

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) { return (a * b) >> kFractionBits; }

/// The fifth root of a number in [0, 1], by bisection.
std::uint64_t fifth_root(std::uint64_t value) {
  std::uint64_t low = 0, high = std::uint64_t{1} << kFractionBits;
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    const std::uint64_t square = multiply(middle, middle);
    if (multiply(multiply(square, square), middle) <= value)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// Linear light of an 8-bit sRGB value: c / 12.92 near black, else ((c + 0.055) / 1.055)^2.4, where c = value / 255.
std::uint64_t linear_light(std::uint64_t value) {
  if (value <= 10) return ((value * 100) << kFractionBits) / (255 * 1292);  // 0.04045 * 255 = 10.3
  const std::uint64_t base = ((200 * value + 11 * 255) << kFractionBits) / (211 * 255);
  const std::uint64_t root = fifth_root(base);
  return multiply(multiply(base, base), multiply(root, root));
}

std::uint64_t to_xyz_bits(std::uint64_t value) {
  constexpr int kShift = kFractionBits - LabTables::kXyzBits;
  return (value + (1 << (kShift - 1))) >> kShift;
}

/// Contributions of red and green to X/Xn, Y/Yn and Z/Zn, in 10^-7; blue contributes the rest to 1 (sRGB primaries,
/// white D65).
constexpr std::array<std::uint64_t, 3> kRed = {4339499, 2126729, 177566}, kGreen = {3762097, 7151522, 1094680};

void fill_primaries(LabTables& tables) {
  for (std::uint64_t value = 0; value < 256; ++value) {
    const std::uint64_t light = linear_light(value);
    std::uint64_t red = 0, green = 0, blue = 0;
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t from_red = to_xyz_bits(light * kRed[i] / 10000000);
      const std::uint64_t from_green = to_xyz_bits(light * kGreen[i] / 10000000);
      // Blue absorbs the rounding, so that greys have X/Xn = Y/Yn = Z/Zn.
      const std::uint64_t from_blue = to_xyz_bits(light) - from_red - from_green;
      const int shift = i * (LabTables::kXyzBits + 1);
      red |= from_red << shift;
      green |= from_green << shift;
      blue |= from_blue << shift;
    }
    tables.red[value] = red;
    tables.green[value] = green;
    tables.blue[value] = blue;
  }
}

/// f(index / 2048) in units of 2^-16, rounded: 841 t / 108 + 4 / 29 up to t = 216 / 24389, the cube root above that.
std::int64_t f_of(std::uint64_t index) {
  constexpr std::uint64_t kSteps = LabTables::kNumSegments - 1;
  if (index * 24389 <= 216 * kSteps) {
    constexpr std::uint64_t kDivisor = 108 * 29 * kSteps;
    const std::uint64_t numerator = 841 * 29 * index + 4 * 108 * kSteps;
    return static_cast<std::int64_t>((65536 * numerator + kDivisor / 2) / kDivisor);
  }
  // The largest f with f - 1/2 <= cube root of (index 2^48 / 2048).
  std::uint64_t low = 0, high = 65536;
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2, odd = 2 * middle - 1;
    if (odd * odd * odd <= (index << 51) / kSteps)
      low = middle;
    else
      high = middle - 1;
  }
  return static_cast<std::int64_t>(low);
}

void fill_cube_roots(LabTables& tables) {
  for (std::int64_t i = 0; i < LabTables::kNumSegments; ++i) {
    const std::int64_t here = f_of(static_cast<std::uint64_t>(i));
    const bool last = i + 1 == LabTables::kNumSegments;  // only white lies in it, at its very start
    const std::int64_t slope = last ? 0 : f_of(static_cast<std::uint64_t>(i) + 1) - here;
    tables.f[i] = {static_cast<std::int32_t>((here - slope * i) * (1 << LabTables::kSegmentBits)),
                   static_cast<std::int32_t>(slope)};
  }
}

}  // namespace

const LabTables& lab_tables() {
  static const std::unique_ptr<const LabTables> tables = [] {
    auto made = std::make_unique<LabTables>();
    fill_primaries(*made);
    fill_cube_roots(*made);
    return made;
  }();
  return *tables;
}

std::span<const Rgb> class_palette() {
  // Found by maximising the minimum distance: the first ten together, each further colour in turn.
  static constexpr Rgb kColors[] = {{150, 195, 105}, {0, 150, 225},   {240, 180, 0},  {225, 45, 0},    {105, 45, 120},
                                    {120, 45, 30},   {15, 105, 255},  {240, 75, 135}, {0, 210, 210},   {0, 0, 255},
                                    {105, 0, 180},   {210, 210, 180}, {210, 15, 180}, {0, 75, 75},     {150, 120, 75},
                                    {90, 210, 255},  {165, 255, 105}, {225, 255, 0},  {0, 135, 120},   {180, 255, 255},
                                    {45, 135, 15},   {150, 255, 165}, {195, 165, 60}, {240, 135, 180}, {15, 45, 135},
                                    {225, 150, 135}, {90, 105, 75},   {0, 135, 255},  {210, 75, 165},  {30, 75, 255},
                                    {120, 0, 60},    {165, 150, 210}};
  return kColors;
}

}  // namespace fernwood::image
