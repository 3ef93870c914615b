// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/log_linear.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fernwood/core/error.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

using testing::ElementsAre;
using Buckets = std::vector<LogLinearSketch::Bucket>;

constexpr float kLargest = std::numeric_limits<float>::max(), kTiniest = std::numeric_limits<float>::denorm_min();

LogLinearSketch sketch_of(const std::vector<float>& values, int fraction_bits = 4, float centre = 0) {
  LogLinearSketch sketch(fraction_bits, centre);
  sketch.update(values);
  return sketch;
}

/// Special values, and floats with random bits, except for NaN.
std::vector<float> any_values(std::uint32_t count) {
  std::vector<float> values = {-kInfinity, -kLargest, -1, -kTiniest, -0.0f, 0, kTiniest, 1, kLargest, kInfinity};
  for (std::uint32_t i = 0; i < count; ++i) {
    const float value = float_of(static_cast<std::int32_t>(noise(3, i)));
    if (!is_nan(value)) values.push_back(value);
  }
  return values;
}

TEST(KeyOf, GrowsWithTheValueAndItsBucketHoldsIt) {
  std::vector<float> values = any_values(20'000);
  std::ranges::sort(values);
  for (int bits = 0; bits <= kMaxFractionBits; ++bits) {
    std::uint32_t last = 0;
    for (const float value : values) {
      const std::uint32_t key = key_of(value, bits);
      ASSERT_GE(key, last);
      ASSERT_LT(key, 1u << (9 + bits));
      ASSERT_LE(lowest_value(key, bits), value);
      ASSERT_GE(highest_value(key, bits), value);
      ASSERT_EQ(key_of(lowest_value(key, bits), bits), key);
      ASSERT_EQ(key_of(highest_value(key, bits), bits), key);
      last = key;
    }
  }
}

TEST(KeyOf, BucketsAreAsNarrowAsPromised) {
  for (int bits = 0; bits <= kMaxFractionBits; ++bits)
    for (const float value : any_values(5'000)) {
      if (std::isinf(value)) continue;
      const std::uint32_t key = key_of(value, bits);
      const double low = lowest_value(key, bits), high = highest_value(key, bits);
      const double least = std::min(std::abs(low), std::abs(high));
      ASSERT_LT(high - low, std::max(std::ldexp(least, -bits), std::ldexp(1.0, -126 - bits))) << value;
    }
}

TEST(KeyOf, KnowsItsNumbers) {
  EXPECT_EQ(key_of(0.0f, 3), 2048u);
  EXPECT_EQ(key_of(-0.0f, 3), 2048u);
  EXPECT_EQ(key_of(1.0f, 3), 2048u + 127 * 8);
  EXPECT_EQ(lowest_value(key_of(21.0f, 3), 3), 20.0f);
  EXPECT_EQ(highest_value(key_of(21.0f, 3), 3), std::nextafter(22.0f, 0.0f));
  EXPECT_EQ(lowest_value(key_of(-21.0f, 3), 3), std::nextafter(-22.0f, 0.0f));
  EXPECT_EQ(highest_value(key_of(-21.0f, 3), 3), -20.0f);
  EXPECT_EQ(highest_value(key_of(-kTiniest, 3), 3), -kTiniest);
  for (const float infinite : {-kInfinity, kInfinity}) {
    EXPECT_EQ(highest_value(key_of(infinite, 3), 3), infinite);
    EXPECT_EQ(lowest_value(key_of(infinite, 3), 3), infinite);
  }
}

TEST(LogLinearSketch, CountsEachValueInItsBucket) {
  const Buckets expected = {{key_of(-1, 4), 2}, {key_of(0, 4), 3}, {key_of(1, 4), 1}, {key_of(kInfinity, 4), 1}};
  const LogLinearSketch sketch = sketch_of({1, -1, 0, -0.0f, kTiniest, kInfinity, -1});
  EXPECT_EQ(sketch.buckets(), expected);
  EXPECT_EQ(sketch.total(), 7u);
  LogLinearSketch one_by_one;
  for (const float value : {1.0f, 0.0f, kInfinity}) one_by_one.update(value);
  one_by_one.update(-1.0f, 2);
  one_by_one.update(0.0f, 2);
  one_by_one.update(5.0f, 0);
  EXPECT_EQ(one_by_one.buckets(), expected);
}

TEST(LogLinearSketch, MergeIsExactInAnyOrder) {
  const std::vector<float> values = any_values(6'000);
  std::vector<LogLinearSketch> workers;
  for (std::size_t begin = 0; begin < values.size(); begin += 700)
    workers.push_back(sketch_of({values.begin() + begin, values.begin() + std::min(begin + 700, values.size())}));
  LogLinearSketch forwards, backwards;
  forwards.merge(workers);
  std::ranges::reverse(workers);
  for (const LogLinearSketch& worker : workers) backwards.merge(worker);
  EXPECT_EQ(forwards.buckets(), sketch_of(values).buckets());
  EXPECT_EQ(backwards.buckets(), forwards.buckets());
  EXPECT_EQ(forwards.total(), values.size());
  forwards.merge(forwards);
  EXPECT_EQ(forwards.total(), 2 * values.size());
}

TEST(LogLinearSketch, RanksAreWrongByLessThanTheirBucketHolds) {
  for (const float centre : {0.0f, 4000.0f}) {
    std::vector<float> values = noise_values(1, 3000, 3900, 200);
    for (const float far : any_values(500)) values.push_back(far);
    const LogLinearSketch sketch = sketch_of(values, 4, centre);
    std::vector<float> sorted = values;
    std::ranges::sort(sorted);
    const auto count_to = [&](float b) {
      return static_cast<std::uint64_t>(std::ranges::upper_bound(sorted, b) - sorted.begin());
    };
    for (const float b : values) {
      const RankBounds bounds = sketch.rank_bounds(b);
      const std::uint64_t rank = count_to(b);
      ASSERT_LE(bounds.least, rank) << b;
      ASSERT_GE(bounds.most, rank) << b;
      ASSERT_GE(sketch.sum(b), static_cast<double>(bounds.least)) << b;
      ASSERT_LE(sketch.sum(b), static_cast<double>(bounds.most)) << b;
      const float end = highest_value(key_of(b, 4), 4);
      if (centre == 0) {
        ASSERT_EQ(sketch.sum(end), static_cast<double>(count_to(end))) << b;
      }
    }
  }
}

TEST(LogLinearSketch, InfiniteValuesAreCountedAndNeverMakeNaN) {
  const LogLinearSketch sketch = sketch_of({-kInfinity, 1, kInfinity, kInfinity});
  EXPECT_EQ(sketch.sum(-kInfinity), 1);
  EXPECT_EQ(sketch.sum(-1e38), 1);
  EXPECT_EQ(sketch.sum(kInfinity), 4);
  EXPECT_THAT(sketch.uniform(4), ElementsAre(-kInfinity, testing::DoubleNear(1, 0.0625), kInfinity));
  const LogLinearSketch far = sketch_of({kLargest, -kLargest}, 4, -kLargest);  // kLargest is too far from the centre
  EXPECT_EQ(far.quantile(0.25), -static_cast<double>(kLargest));
  EXPECT_EQ(far.quantile(1), kInfinity);
}

TEST(LogLinearSketch, RefusesWhatDoesNotFit) {
  LogLinearSketch sketch(4);
  EXPECT_THROW(sketch.update(std::vector<float>{1, __builtin_nanf("")}), Error);
  EXPECT_THROW(sketch.merge(LogLinearSketch(3)), Error);
  EXPECT_THROW(sketch.merge(LogLinearSketch(4, 1.0f)), Error);
  EXPECT_THROW(sketch.quantile(0.5), Error);
  EXPECT_EQ(sketch.total(), 0u);
  EXPECT_THROW(LogLinearSketch(9), Error);
  EXPECT_THROW(LogLinearSketch(-1), Error);
  EXPECT_THROW(LogLinearSketch(4, kInfinity), Error);
}

}  // namespace
}  // namespace fernwood::stream
