// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/exact_sketch.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "fernwood/core/error.h"
#include "lab/stream/ben_haim.h"
#include "stream/noise_values.h"
#include "stream/sketches/log_linear.h"

namespace fernwood::lab {
namespace {

using stream::kInfinity;
using stream::LogLinearSketch;
using stream::noise;
using stream::noise_values;

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

/// Requirements on every sketch, with an example for each.
template <Sketch S>
class EverySketch : public testing::Test {
 protected:
  static S empty() {
    if constexpr (std::is_same_v<S, BenHaimHistogram>)
      return S(64);
    else
      return S();
  }
};
using Sketches = testing::Types<BenHaimHistogram, LogLinearSketch, ExactSketch>;
TYPED_TEST_SUITE(EverySketch, Sketches);

TYPED_TEST(EverySketch, SumGrowsFromNothingToAll) {
  TypeParam sketch = this->empty();
  sketch.update(noise_values(1, 10'000, -5, 10));
  double last = 0;
  for (double b = -6; b < 6; b += 0.01) {
    ASSERT_GE(sketch.sum(b), last - 1e-9) << b;
    last = sketch.sum(b);
    const double truth = std::clamp(1000 * (b + 5), 0.0, 10'000.0);
    ASSERT_NEAR(last, truth, 300) << b;
  }
  EXPECT_EQ(sketch.sum(-5.01), 0);
  EXPECT_EQ(sketch.sum(5.01), 10'000);
}

TYPED_TEST(EverySketch, MergedWorkersCountAllOnce) {
  TypeParam all = this->empty();
  std::vector<TypeParam> workers(4, this->empty());
  for (std::uint32_t w = 0; w < 4; ++w) workers[w].update(noise_values(w, 2500, static_cast<float>(w), 1));
  all.merge(workers);
  EXPECT_EQ(all.total(), 10'000u);
  EXPECT_NEAR(all.sum(2), 5000, 200);
  all.merge(this->empty());
  EXPECT_EQ(all.total(), 10'000u);
  all.merge(all);
  EXPECT_EQ(all.total(), 20'000u);
  EXPECT_NEAR(all.sum(2), 10'000, 400);
}

TYPED_TEST(EverySketch, UniformPartsValuesEvenly) {
  TypeParam sketch = this->empty();
  EXPECT_TRUE(sketch.uniform(10).empty());
  EXPECT_EQ(sketch.sum(0), 0);
  sketch.update(noise_values(1, 10'000, -5, 10));
  const std::vector<double> places = sketch.uniform(10);
  ASSERT_EQ(places.size(), 9u);
  for (int j = 0; j < 9; ++j) EXPECT_NEAR(places[j], -4.0 + j, 0.2);
  EXPECT_TRUE(std::ranges::is_sorted(places));
}

TYPED_TEST(EverySketch, TellsItsSize) {
  TypeParam sketch = this->empty();
  EXPECT_GE(sketch.size_bytes(), sizeof(TypeParam));
  sketch.update(noise_values(1, 10'000, -5, 10));
  EXPECT_LE(sketch.size_bytes(), 70'000u);
}

}  // namespace
}  // namespace fernwood::lab
