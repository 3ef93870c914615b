// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/open_leaves.h"

#include <gtest/gtest.h>

#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

TEST(Hoeffding, BoundIsTheKnownOne) {
  // sqrt(ln(1e7) / 2000) = sqrt(16.118095651 / 2000).
  EXPECT_NEAR(hoeffding_bound(1, 1e-7, 1000), 0.0897721, 1e-7);
  // log2(7) sqrt(ln(20) / 20000).
  EXPECT_NEAR(hoeffding_bound(2.807354922, 0.05, 10'000), 0.0343585, 1e-7);
  EXPECT_DOUBLE_EQ(hoeffding_bound(1, 1e-7, 4000), hoeffding_bound(1, 1e-7, 1000) / 2);
}

FoundSplit found_with(double best, double second, std::vector<std::uint64_t> totals) {
  FoundSplit found;
  found.search.best.purity = best;
  found.search.second = second;
  found.totals = std::move(totals);
  return found;
}

TEST(OpenLeaves, GainsAreDecreasesOfImpurityARecord) {
  // Ten records, 6 and 4, split into (5, 0) and (1, 4): Gini 0.48 before, 0.5 * 0 + 0.5 * 0.32 after.
  FoundSplit found = found_with(25.0 / 5 + 17.0 / 5, -__builtin_huge_val(), {6, 4});
  weigh(found, records::Criterion::kGini);
  EXPECT_NEAR(found.gain, 0.32, 1e-12);
  EXPECT_EQ(found.second_gain, 0);  // the alternative is not to split
  // Entropy: 0.970951 before, 0.5 * 0.721928 after. Purity is -n times the impurity.
  found = found_with(-5 * 0.721928, -10 * 0.9, {6, 4});
  weigh(found, records::Criterion::kEntropy);
  EXPECT_NEAR(found.gain, 0.609987, 1e-5);
  EXPECT_NEAR(found.second_gain, 0.070951, 1e-5);
}

TEST(OpenLeaves, IsDecidedWhenTheLeadOrTheUncertaintyIsSmallEnough) {
  StreamOptions options;
  options.failure_probability = 0.05;
  options.tie = 0.01;
  FoundSplit found;
  found.totals = {500, 500};
  OpenLeaf leaf;
  leaf.seen = 1000;
  leaf.tests = 1;
  // The first test may fail with probability 0.025: sqrt(ln(40) / 2000) = 0.042947.
  const auto decided = [&](double gain, double second) {
    found.gain = gain, found.second_gain = second;
    return is_decided(found, leaf, options);
  };
  EXPECT_TRUE(decided(0.143, 0.1));
  EXPECT_FALSE(decided(0.1429, 0.1));
  leaf.tests = 2;  // sqrt(ln(120) / 2000) = 0.048926
  EXPECT_FALSE(decided(0.143, 0.1));
  EXPECT_TRUE(decided(0.149, 0.1));
  options.tie = 0.0490;
  EXPECT_TRUE(decided(0.1, 0.1));
  options.tie = 0.0489;
  EXPECT_FALSE(decided(0.1, 0.1));
  options.failure_probability = 0;
  EXPECT_TRUE(decided(0.1, 0.1));
}

TEST(OpenLeaves, OnlyLeavesOfSeveralClassesMayBeSplit) {
  StreamOptions options;
  options.min_samples = 5;
  const auto may = [&](std::vector<std::uint64_t> totals) {
    return may_split({.num_classes = totals.size()}, totals, options);
  };
  EXPECT_TRUE(may({4, 1}));
  EXPECT_FALSE(may({3, 1}));
  EXPECT_FALSE(may({0, 100, 0}));
  EXPECT_FALSE(may({0, 0}));
  EXPECT_TRUE(may({4000000000, 4000000000}));
}

}  // namespace
}  // namespace fernwood::stream
