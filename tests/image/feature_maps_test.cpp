// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/feature_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace fernwood::image {
namespace {

/// One level of two maps of 3 x 4 cells, each of `stride` pixels.
FeatureMaps maps_of(int stride) {
  FeatureMaps maps;
  const auto step = 65536u / static_cast<std::uint32_t>(stride);
  maps.levels = {{3, 4, 0, 0, 12, 1, step, step}};
  for (int i = 0; i < 24; ++i) maps.values.push_back(static_cast<std::int16_t>(i * i * 37 - 4000));
  return maps;
}

/// The same value in floating point: cells stand at their middles, and those at the border go on for ever.
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
  // At stride 1 a pixel is a cell.
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
