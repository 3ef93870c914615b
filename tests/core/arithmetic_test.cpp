// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fernwood {
namespace {

TEST(RoundToInt, TakesTheNearest) {
  EXPECT_EQ(round_to_int(0.0f), 0);
  EXPECT_EQ(round_to_int(2.49f), 2);
  EXPECT_EQ(round_to_int(2.51f), 3);
  EXPECT_EQ(round_to_int(-2.49f), -2);
  EXPECT_EQ(round_to_int(-2.51f), -3);
}

TEST(RoundToInt, TakesHalvesToEvenOnBothSidesOfZero) {
  EXPECT_EQ(round_to_int(0.5f), 0);
  EXPECT_EQ(round_to_int(1.5f), 2);
  EXPECT_EQ(round_to_int(2.5f), 2);
  EXPECT_EQ(round_to_int(3.5f), 4);
  for (float value = 0; value < 1000; value += 0.25f) EXPECT_EQ(round_to_int(-value), -round_to_int(value)) << value;
}

TEST(RoundToInt, HoldsUpToItsLimit) {
  EXPECT_EQ(round_to_int(4194303.5f), 4194304);  // just below 2^22
  EXPECT_EQ(round_to_int(-4194303.0f), -4194303);
}

TEST(OrderedBits, OrderFloatsAndComeBack) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float ascending[] = {-kInfinity, -3.0e38f, -1.0f, -1e-45f, 0.0f, 1e-45f, 1.0f, 1.5f, 3.0e38f, kInfinity};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    EXPECT_EQ(float_of_ordered(ordered_bits(ascending[i])), ascending[i]);
    if (i == 0) continue;
    EXPECT_LT(ordered_bits(ascending[i - 1]), ordered_bits(ascending[i])) << ascending[i];
  }
  EXPECT_EQ(ordered_bits(-0.0f), ordered_bits(0.0f));
  EXPECT_EQ(ordered_bits(0.0f), 0x80000000u);
}

TEST(Log2Of, IsExactAtPowersOfTwo) {
  for (int e = -126; e <= 127; ++e) EXPECT_EQ(log2_of(std::ldexp(1.0f, e)), static_cast<float>(e));
}

TEST(Log2Of, StaysWithinItsBoundOverTheFraction) {
  // Every 16th float from sqrt(1/2) to sqrt(2): the whole range of the polynomial.
  for (std::int32_t bits = 0x3f3504f3; bits < 0x3fb504f3; bits += 16) {
    const float value = float_of(bits);
    ASSERT_NEAR(log2_of(value), std::log2(static_cast<double>(value)), 1e-7) << value;
  }
}

TEST(Log2Of, StaysWithinItsBoundAtEveryMagnitude) {
  for (int e = -126; e <= 127; ++e)
    for (int i = 0; i < 500; ++i) {
      const float value = std::ldexp(1.0f + static_cast<float>(i) / 500.0f, e);
      const double exact = std::log2(static_cast<double>(value));
      // Adding the exponent rounds once more, by up to half a unit in the last place of a number below 2^ceil(log2
      // |exact|).
      const double half_place = std::abs(exact) > 1 ? std::ldexp(1.0, std::ilogb(exact) - 23) / 2 * 2 : 0x1p-24;
      ASSERT_NEAR(log2_of(value), exact, 1e-7 + half_place) << value;
    }
}

TEST(Log2Of, NeverFallsFromOneCountToTheNext) {
  for (int n = 1; n < 100000; ++n)
    ASSERT_LT(log2_of(static_cast<float>(n)), log2_of(static_cast<float>(n + 1)) + 1e-7f) << n;
  EXPECT_LT(log2_of(2999), log2_of(3000));
}

TEST(Bits, NanIsNanAndNothingElseIs) {
  EXPECT_TRUE(is_nan(not_a_number()));
  EXPECT_TRUE(std::isnan(not_a_number()));
  EXPECT_FALSE(is_nan(0.0f));
  EXPECT_FALSE(is_nan(std::numeric_limits<float>::infinity()));
}

TEST(Bits, GoThereAndBack) {
  EXPECT_EQ(bits_of(1.0f), 0x3f800000);
  EXPECT_EQ(float_of(0x3f800000), 1.0f);
  EXPECT_EQ(bits_of(-2.0f), static_cast<std::int32_t>(0xc0000000));
}

TEST(Divide, IsTheQuotientRoundedOnce) {
  EXPECT_EQ(divide(1.0f, 3.0f), 0x1.555556p-2f);
  EXPECT_EQ(divide(-8388607.0f, 441.0f), -8388607.0f / 441.0f);
  EXPECT_EQ(divide(0.0f, 7.0f), 0.0f);
}

TEST(ExpOf, IsCloseToThePowerOfEDownToWhereFloatsEnd) {
  EXPECT_EQ(exp_of(0), 1);
  for (int i = 0; i <= 86000; ++i) {
    const float value = -0.001f * static_cast<float>(i);
    const double exact = std::exp(static_cast<double>(value));
    ASSERT_NEAR(exp_of(value), exact, 1e-6 * exact) << value;
  }
  for (const float value : {-87.5f, -1e4f, -1e30f, -std::numeric_limits<float>::infinity()})
    EXPECT_EQ(exp_of(value), 0) << value;
}

}  // namespace
}  // namespace fernwood
