// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/feature_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fernwood/core/error.h"
#include "forest/noise.h"
#include "image/prepare_steps.h"

namespace fernwood::image {
namespace {

/// Three maps of 6 x 5 cells at stride 8, and two maps of 3 x 3 cells at stride 16.
FeatureMaps two_levels(std::uint32_t seed) {
  forest::Noise noise(seed);
  FeatureMaps maps;
  maps.levels = {{6, 5, 0, 0, 30, 1, 65536 / 8, 65536 / 8}, {3, 3, 3, 90, 9, 1, 65536 / 16, 65536 / 16}};
  for (int i = 0; i < 3 * 30 + 2 * 9; ++i)
    maps.values.push_back(static_cast<std::int16_t>(noise.between(-32767, 32767)));
  return maps;
}

LinearHead noise_head(int num_scores, int num_maps, std::uint32_t seed) {
  forest::Noise noise(seed);
  LinearHead head{{}, num_maps, {}, {}, 10};
  for (int s = 0; s < num_scores; ++s) {
    head.classes.push_back("class " + std::to_string(s));
    head.bias.push_back(noise.between(-kPartialOne, kPartialOne));
    for (int m = 0; m < num_maps; ++m) head.weights.push_back(noise.between(-900, 900));
  }
  return head;
}

/// The value of a map at a position in pixels, interpolated between the centres of its cells.
double plain_value(const FeatureMaps& maps, const MapLevel& level, int map, double x, double y) {
  const double stride = 65536.0 / level.col_step;
  const double across = std::clamp(x / stride - 0.5, 0.0, level.cols - 1.0);
  const double down = std::clamp(y / stride - 0.5, 0.0, level.rows - 1.0);
  const auto cell = [&](int row, int col) {
    const int at = level.offset + ((map - level.first_map) * level.rows + std::min(row, level.rows - 1)) * level.cols +
                   std::min(col, level.cols - 1);
    return static_cast<double>(maps.values[static_cast<std::size_t>(at)]);
  };
  const int col = static_cast<int>(across), row = static_cast<int>(down);
  const double u = across - col, v = down - row;
  return (cell(row, col) * (1 - u) + cell(row, col + 1) * u) * (1 - v) +
         (cell(row + 1, col) * (1 - u) + cell(row + 1, col + 1) * u) * v;
}

/// Reference in floating point: a score is a weighted sum of interpolated maps.
double plain_score(const LinearHead& head, const FeatureMaps& maps, int score, double x, double y) {
  double sum = static_cast<double>(head.bias[static_cast<std::size_t>(score)]) / kPartialOne;
  for (int map = 0; map < head.num_maps; ++map)
    sum += head.weights[static_cast<std::size_t>(score * head.num_maps + map)] *
           plain_value(maps, maps.levels[map < 3 ? 0 : 1], map, x, y) / std::ldexp(kPartialOne, head.shift);
  return sum;
}

TEST(LinearHead, ScoresAreWeightedSumsOfMaps) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    FeatureMaps maps = two_levels(seed);
    const FeatureMaps before = maps;
    const LinearHead head = noise_head(4, 5, seed);
    add_scores(head, maps);
    ASSERT_EQ(maps.levels.size(), 3u);
    EXPECT_EQ(maps.levels[2].rows, 6);
    EXPECT_EQ(maps.levels[2].cols, 5);
    EXPECT_EQ(maps.levels[2].first_map, 5);
    EXPECT_TRUE(std::equal(before.values.begin(), before.values.end(), maps.values.begin()));
    for (int score = 0; score < 4; ++score)
      for (int row = 0; row < 6; ++row)
        for (int col = 0; col < 5; ++col) {
          const double wanted = plain_score(head, before, score, 8 * col + 4, 8 * row + 4);
          const double limit = 32767.0 / kScoreOne;
          const std::size_t at = static_cast<std::size_t>(maps.levels[2].offset + score * 30 + row * 5 + col);
          EXPECT_NEAR(maps.values[at] / static_cast<double>(kScoreOne), std::clamp(wanted, -limit, limit), 1e-4);
        }
  }
}

TEST(LinearHead, ScoresOfMapsThatAreTooFineAreASentence) {
  const Rgb color;
  const float value = 0;
  FrameImages frame;  // its pixels are not read
  frame.rows = frame.cols = frame.map_rows = frame.map_cols = 4000;
  frame.color = &color;
  frame.maps = &value;
  frame.num_maps = 100;
  Preparation preparation{ChannelLayout({"rgb"})};
  preparation.supplied_maps.assign(100, {0, 1});
  EXPECT_NO_THROW(check_frame(frame, preparation));
  preparation.head = forest::noise_head(40, 100, 1);
  EXPECT_THROW(check_frame(frame, preparation), Error);
}

TEST(LinearHead, ScoresThatAreTooLargeAreCut) {
  FeatureMaps maps = two_levels(1);
  LinearHead head = noise_head(2, 5, 1);
  head.shift = 0;
  std::ranges::fill(head.weights, kMaxHeadWeight);
  add_scores(head, maps);
  for (std::size_t i = static_cast<std::size_t>(maps.levels[2].offset); i < maps.values.size(); ++i)
    EXPECT_LE(std::abs(maps.values[i]), 32767);
  EXPECT_EQ(partial_score(INT64_MAX / 2, 0), kMaxPartial);
  EXPECT_EQ(partial_score(INT64_MIN / 2, 3), -kMaxPartial);
  EXPECT_EQ(partial_score(7, 2), 2) << "to the nearest";
  EXPECT_EQ(partial_score(-6, 2), -1);
}

}  // namespace
}  // namespace fernwood::image
