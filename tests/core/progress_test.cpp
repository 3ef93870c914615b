// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/progress.h"

#include <gtest/gtest.h>

namespace fernwood {
namespace {

constexpr double kTolerance = 0.0051;  // half of a bin, which is 1 % wide

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
