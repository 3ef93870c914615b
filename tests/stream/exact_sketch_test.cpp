// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/exact_sketch.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "fernwood/core/error.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

TEST(ExactSketch, RanksAndQuantilesAreThoseOfTheSortedValues) {
  std::vector<float> values = noise_values(1, 999, -1, 2);
  for (const float extra : {kInfinity, -kInfinity, 0.0f, -0.0f, values[0], values[0]}) values.push_back(extra);
  ExactSketch one_by_one, in_blocks;
  for (const float value : values) one_by_one.update(value);
  for (std::size_t i = 0; i < values.size(); i += 100)
    in_blocks.update(std::span(values).subspan(i, std::min<std::size_t>(100, values.size() - i)));
  std::ranges::sort(values);
  for (const ExactSketch& sketch : {one_by_one, in_blocks}) {
    ASSERT_EQ(sketch.total(), 1005u);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(sketch.value_of_rank(i + 1), values[i]);
      const auto [first, last] = std::ranges::equal_range(values, values[i]);
      ASSERT_EQ(sketch.count_below(values[i]), static_cast<std::uint64_t>(first - values.begin()));
      ASSERT_EQ(sketch.count_to(values[i]), static_cast<std::uint64_t>(last - values.begin()));
    }
  }
}

TEST(ExactSketch, PartsValuesEvenly) {
  ExactSketch sketch;
  EXPECT_TRUE(sketch.uniform(4).empty());
  sketch.update(std::vector<float>{8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(sketch.uniform(4), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(sketch.quantile(0), 1);
  EXPECT_EQ(sketch.quantile(0.51), 5);
  EXPECT_EQ(sketch.quantile(1), 8);
  EXPECT_EQ(sketch.sum(4.5), 4);
}

TEST(ExactSketch, ZeroHasNoSign) {
  ExactSketch sketch;
  sketch.update(std::vector<float>{-0.0f});
  EXPECT_FALSE(std::signbit(sketch.value_of_rank(1)));
}

TEST(ExactSketch, RefusesUnknownValuesAndRanksThatThereAreNot) {
  ExactSketch sketch;
  EXPECT_THROW(sketch.update(__builtin_nanf("")), Error);
  EXPECT_THROW(sketch.quantile(0.5), Error);
  sketch.update(1.0f);
  EXPECT_THROW(sketch.value_of_rank(0), Error);
  EXPECT_THROW(sketch.value_of_rank(2), Error);
}

}  // namespace
}  // namespace fernwood::stream
