// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/progress.h"

#include <gtest/gtest.h>

#include <limits>

namespace fernwood {
namespace {

constexpr double kTolerance = 0.0051;  // half of a bin, which is 1 % wide

TEST(DurationOfSeconds, LongOnesAreClamped) {
  using std::chrono::hours, std::chrono::milliseconds;
  EXPECT_EQ(duration_of_seconds(0.25), milliseconds(250));
  EXPECT_EQ(duration_of_seconds(-1), milliseconds(0));
  const auto year = hours(366 * 24);
  for (const double seconds : {1e10, 1e300, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_EQ(duration_of_seconds(seconds), year) << seconds;
}

TEST(Durations, QuantilesAreThoseOfTheSortedList) {
  Durations durations;
  for (int ms = 100; ms >= 1; --ms) durations.add(ms / 1000.0);
  EXPECT_EQ(durations.size(), 100u);
  EXPECT_NEAR(durations.median_s(), 0.050, 0.050 * kTolerance);         // the 50th of 100
  EXPECT_NEAR(durations.p95_s(), 0.095, 0.095 * kTolerance);            // the 95th
  EXPECT_NEAR(durations.quantile_s(1.0), 0.100, 0.100 * kTolerance);    // the longest
  EXPECT_NEAR(durations.quantile_s(0.001), 0.001, 0.001 * kTolerance);  // the shortest
}

TEST(Durations, OneOutlierMovesTheTailOnly) {
  Durations durations;
  for (int i = 0; i < 19; ++i) durations.add(0.002);
  durations.add(50);
  EXPECT_NEAR(durations.median_s(), 0.002, 0.002 * kTolerance);
  EXPECT_NEAR(durations.p95_s(), 0.002, 0.002 * kTolerance);  // the 19th of 20
  EXPECT_NEAR(durations.quantile_s(0.96), 50, 50 * kTolerance);
}

TEST(Durations, WithoutAnyTheQuantilesAreZero) { EXPECT_EQ(Durations().median_s(), 0.0); }

TEST(Durations, WhatIsBeyondTheScaleCountsAsItsEnds) {
  Durations durations;
  durations.add(0);
  EXPECT_NEAR(durations.median_s(), 1e-6, 1e-8);
  durations.add(1e9);
  EXPECT_NEAR(durations.quantile_s(1.0), 100, 1);
}

}  // namespace
}  // namespace fernwood
