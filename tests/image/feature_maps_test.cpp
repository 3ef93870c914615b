// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/feature_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fernwood::image {
namespace {

/// One level with two maps of 3 x 4 cells, each of `stride` x `stride` pixels.
FeatureMaps maps_of(int stride) {
  FeatureMaps maps;
  const auto step = 65536u / static_cast<std::uint32_t>(stride);
  maps.levels = {{3, 4, 0, 0, 12, 1, step, step}};
  for (int i = 0; i < 24; ++i) maps.values.push_back(static_cast<std::int16_t>(i * i * 37 - 4000));
  return maps;
}

/// Reference in floating point: values belong to the centres of cells, and those at the border extend beyond it.
double plain_value(const FeatureMaps& maps, int map, double x, double y, int stride) {
  const MapLevel& level = maps.levels[0];
  const double across = std::clamp((x + 0.5) / stride - 0.5, 0.0, level.cols - 1.0);
  const double down = std::clamp((y + 0.5) / stride - 0.5, 0.0, level.rows - 1.0);
  const auto cell = [&](int row, int col) {
    return static_cast<double>(maps.values[static_cast<std::size_t>(
        (map * level.rows + std::min(row, level.rows - 1)) * level.cols + std::min(col, level.cols - 1))]);
  };
  const int col = static_cast<int>(across), row = static_cast<int>(down);
  const double u = across - col, v = down - row;
  return (cell(row, col) * (1 - u) + cell(row, col + 1) * u) * (1 - v) +
         (cell(row + 1, col) * (1 - u) + cell(row + 1, col + 1) * u) * v;
}

TEST(MapValue, LiesBetweenTheMiddlesOfCells) {
  for (const int stride : {1, 2, 4, 8, 16, 32}) {
    const FeatureMaps maps = maps_of(stride);
    for (int map = 0; map < 2; ++map)
      for (int y = 0; y < 3 * stride; ++y)
        for (int x = 0; x < 4 * stride; ++x)
          EXPECT_FLOAT_EQ(map_value(maps.view(), map, x, y), static_cast<float>(plain_value(maps, map, x, y, stride)))
              << "pixel " << x << "," << y << " at stride " << stride;
  }
}

TEST(SuppliedMaps, ValuesBecomeTheNearestStepOfTheirRange) {
  const MapScale scale = scale_of({-1, 3});
  for (int i = -3; i <= kRangeSteps + 3; ++i) {
    const auto value = static_cast<float>(-1 + i * 4.0 / kRangeSteps);
    const int wanted = std::clamp(i, 0, kRangeSteps) - kRangeMiddle;
    EXPECT_EQ(cell_value(value, scale), wanted) << value;
  }
}

TEST(SuppliedMaps, WhatIsUnknownOrOutOfRangeHasAPlace) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const MapRange& range : {MapRange{-1, 3}, MapRange{0, 1e-30f}, MapRange{-3e38f, 3e38f}}) {
    const MapScale scale = scale_of(range);
    EXPECT_EQ(cell_value(nan, scale), 0);
    EXPECT_EQ(cell_value(kInfinity, scale), kRangeMiddle);
    EXPECT_EQ(cell_value(-kInfinity, scale), -kRangeMiddle);
  }
  for (const MapRange& constant : {MapRange{}, MapRange{5, 5}, MapRange{1, 1 + 1e-45f}})
    for (const float value : {5.0f, -7.0f, 0.0f}) EXPECT_EQ(cell_value(value, scale_of(constant)), -kRangeMiddle);
}

TEST(SuppliedMaps, RangesAreThoseOfKnownFiniteValues) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<MapRange> ranges(3, kNoRange);
  widen(ranges, {3, 1, 3, {1, nan, -2, kInfinity, 7, 7, nan, nan, -kInfinity}});
  EXPECT_EQ(ranges[0], (MapRange{-2, 1}));
  EXPECT_EQ(ranges[1], (MapRange{7, 7}));
  EXPECT_EQ(ranges[2], kNoRange);
  widen(ranges, {3, 1, 1, {9, 6, 0}});
  EXPECT_EQ(ranges, (std::vector<MapRange>{{-2, 9}, {6, 7}, {0, 0}}));
}

TEST(SuppliedMaps, AreReadBehindThoseThatAreThere) {
  FeatureMaps maps = maps_of(8);  // two maps for frames of 24 x 32 pixels
  const Frame frame{Array2<Rgb>(24, 32), {}, {}, kImageUp, {2, 24, 32, std::vector<float>(2 * 24 * 32)}};
  Frame filled = frame;
  for (std::size_t i = 0; i < filled.maps.values.size(); ++i) filled.maps.values[i] = static_cast<float>(i);
  const auto most = static_cast<float>(filled.maps.values.size() - 1);
  const std::vector<MapRange> ranges = {{0, most}, {0, most}};
  add_supplied_maps(filled, ranges, 2, maps);
  const MapsView view = maps.view();
  ASSERT_EQ(view.num_levels, 2);
  for (std::int32_t map = 0; map < 2; ++map)
    for (std::int32_t y = 0; y < 24; ++y)
      for (std::int32_t x = 0; x < 32; ++x) {
        const auto value = static_cast<float>((map * 24 + y) * 32 + x);
        EXPECT_EQ(map_value(view, 2 + map, x, y), cell_value(value, scale_of(ranges[0]))) << x << "," << y;
      }
  EXPECT_EQ(map_value(view, 1, 5, 6), map_value(maps_of(8).view(), 1, 5, 6));
}

TEST(MapPlace, HoldsForEveryPixelOfTheLargestFrame) {
  const std::int32_t cells = 65536 / 4;
  std::int32_t before = -1;
  for (std::int32_t x = 0; x < 65536; ++x) {
    const MapPlace place = map_place(x, 65536 / 4, cells);
    const std::int32_t at = place.first * kMapSteps + place.weight;
    EXPECT_GE(at, before);
    EXPECT_LT(place.second, cells);
    EXPECT_GE(place.second, place.first);
    before = at;
  }
  // At stride 1, each pixel is a cell.
  EXPECT_EQ(map_place(65535, 65536, 65536).first, 65535);
  EXPECT_EQ(map_place(65534, 65536, 65536).weight, 0);
}

TEST(MapResponse, IsExactForValuesOfThirteenBits) {
  EXPECT_EQ(map_response(between_cells(-16384, -16384, -16384, -16384, 5, 9)), -16384.0f);
  EXPECT_EQ(map_response(between_cells(-32768, -32768, -32768, -32768, 63, 63)), -32768.0f);
  EXPECT_EQ(map_response(between_cells(0, 128, 0, 128, 1, 0)), 2.0f);
}

TEST(LevelOf, FindsTheLevelOfEachMap) {
  MapsView view;
  view.num_levels = 3;
  view.levels[1].first_map = 5;
  view.levels[2].first_map = 7;
  EXPECT_EQ(&level_of(view, 0), &view.levels[0]);
  EXPECT_EQ(&level_of(view, 4), &view.levels[0]);
  EXPECT_EQ(&level_of(view, 5), &view.levels[1]);
  EXPECT_EQ(&level_of(view, 7), &view.levels[2]);
  EXPECT_EQ(&level_of(view, 900), &view.levels[2]);
}

}  // namespace
}  // namespace fernwood::image
