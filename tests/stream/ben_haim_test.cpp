// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/ben_haim.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/stream/merge_bins.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

using testing::ElementsAre;

MATCHER_P2(IsBin, value, count, "") {
  return std::abs(arg.value - value) < 5e-4 && arg.count == static_cast<std::uint64_t>(count);
}

BenHaimHistogram histogram_of(const std::vector<float>& values, int max_bins) {
  BenHaimHistogram histogram(max_bins);
  histogram.update(values);
  return histogram;
}

std::vector<Bin> bins_of(const BenHaimHistogram& histogram) {
  return {histogram.bins().begin(), histogram.bins().end()};
}

/// The paper's own example: seven values, then a histogram of three more, with five bins.
class PaperExample : public testing::Test {
 protected:
  BenHaimHistogram histogram_ = histogram_of({23, 19, 10, 16, 36, 2, 9}, 5);
};

TEST_F(PaperExample, UpdateMergesTheNearestBins) {
  EXPECT_THAT(bins_of(histogram_), ElementsAre(IsBin(2, 1), IsBin(9.5, 2), IsBin(17.5, 2), IsBin(23, 1), IsBin(36, 1)));
  EXPECT_EQ(histogram_.total(), 7u);
}

TEST_F(PaperExample, MergeSumAndUniformGiveItsNumbers) {
  histogram_.merge(histogram_of({32, 30, 45}, 5));
  EXPECT_THAT(bins_of(histogram_),
              ElementsAre(IsBin(2, 1), IsBin(9.5, 2), IsBin(19.3333, 3), IsBin(32.6667, 3), IsBin(45, 1)));
  EXPECT_EQ(histogram_.total(), 10u);
  EXPECT_NEAR(histogram_.sum(15), 3.275, 0.001);
  const std::vector<double> places = histogram_.uniform(3);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_NEAR(places[0], 15.223, 0.001);
  EXPECT_NEAR(places[1], 28.963, 0.001);
}

TEST(BenHaimHistogram, IsExactWhileThereAreBinsEnough) {
  const BenHaimHistogram histogram = histogram_of({3, 1, 2, 1, 3, 3, -0.0f, 0.0f}, 4);
  EXPECT_EQ(bins_of(histogram), (std::vector<Bin>{{0, 2}, {1, 2}, {2, 1}, {3, 3}}));
}

TEST(BenHaimHistogram, CountsAValueSeveralTimesAtOnce) {
  BenHaimHistogram histogram(2);
  histogram.update(1.0f, 3);
  histogram.update(2.0f, 1);
  histogram.update(9.0f, 0);
  histogram.update(10.0f, 2);
  EXPECT_EQ(bins_of(histogram), (std::vector<Bin>{{1.25, 4}, {10, 2}}));
  EXPECT_EQ(histogram.total(), 6u);
}

TEST(BenHaimHistogram, OfEqualGapsUpdateMergesTheLeftmost) {
  EXPECT_EQ(bins_of(histogram_of({1, 2, 3, 4}, 3)), (std::vector<Bin>{{1.5, 2}, {3, 1}, {4, 1}}));
  // The eleventh value opens gaps of 1 only, which is more than four minima look at.
  std::vector<float> values(11);
  for (int i = 0; i < 11; ++i) values[i] = static_cast<float>(i);
  EXPECT_EQ(histogram_of(values, 10).bins()[0], (Bin{0.5, 2}));
}

TEST(BenHaimHistogram, UpdateIsMergeWithOneValueBitForBit) {
  for (int max_bins = 2; max_bins <= 40; ++max_bins) {
    BenHaimHistogram histogram(max_bins);
    std::vector<Bin> expected;
    for (std::uint32_t i = 0; i < 300; ++i) {
      const std::uint32_t word = noise(static_cast<std::uint32_t>(max_bins), i);
      const float whole = static_cast<float>(word % 200), value = word >> 31 ? whole : whole * 0.37f - 9;
      expected.push_back({value, 1});
      expected = merge_bins(expected, max_bins);
      histogram.update(value);
      ASSERT_EQ(bins_of(histogram), expected) << max_bins << " bins, value " << i;
    }
  }
}

TEST(BenHaimHistogram, SumIsNothingBelowTheFirstBinAndAllFromTheLast) {
  const BenHaimHistogram histogram = histogram_of({1, 2, 2, 4}, 3);
  EXPECT_EQ(histogram.sum(0.999), 0);
  EXPECT_EQ(histogram.sum(1), 0.5);
  EXPECT_EQ(histogram.sum(2), 2);
  EXPECT_EQ(histogram.sum(3), 2 + 0.875);
  EXPECT_EQ(histogram.sum(4), 4);
  EXPECT_EQ(histogram.sum(-kInfinity), 0);
  EXPECT_EQ(histogram.sum(kInfinity), 4);
  EXPECT_EQ(BenHaimHistogram(5).sum(0), 0);
}

TEST(BenHaimHistogram, UniformInvertsSum) {
  const BenHaimHistogram histogram = histogram_of(noise_values(1, 5000, -3, 10), 40);
  const std::vector<double> places = histogram.uniform(100);
  ASSERT_EQ(places.size(), 99u);
  EXPECT_TRUE(std::ranges::is_sorted(places));
  for (int j = 2; j < 98; ++j) EXPECT_NEAR(histogram.sum(places[j - 1]), 50.0 * j, 1e-6) << j;
  // Neighbours of equal counts: the quadratic equation is a linear one.
  EXPECT_EQ(histogram_of({0, 4}, 2).uniform(2), (std::vector<double>{2}));
  EXPECT_TRUE(BenHaimHistogram(5).uniform(4).empty());
  EXPECT_TRUE(histogram.uniform(1).empty());
}

TEST(BenHaimHistogram, InfiniteValuesAreCountedAndNeverMakeNaN) {
  const BenHaimHistogram histogram = histogram_of({kInfinity, 1, -kInfinity, 2, -kInfinity, 4, 3}, 4);
  EXPECT_EQ(bins_of(histogram), (std::vector<Bin>{{-kInfinity, 2}, {1.5, 2}, {3.5, 2}, {kInfinity, 1}}));
  EXPECT_EQ(histogram.sum(-kInfinity), 2);
  EXPECT_EQ(histogram.sum(-1e30), 2);
  EXPECT_EQ(histogram.sum(1.5), 3);
  EXPECT_EQ(histogram.sum(2.5), 4);
  EXPECT_EQ(histogram.sum(3.5), 6);
  EXPECT_EQ(histogram.sum(1e30), 6);
  EXPECT_EQ(histogram.sum(kInfinity), 7);
  EXPECT_EQ(histogram.uniform(7), (std::vector<double>{-kInfinity, -kInfinity, 1.5, 2.5, 3.5, 3.5}));
  EXPECT_EQ(bins_of(histogram_of({-kInfinity, 5, kInfinity, 6}, 2)),
            (std::vector<Bin>{{-kInfinity, 3}, {kInfinity, 1}}));
}

TEST(BenHaimHistogram, MergeDoesNotDependOnTheOrderOfWorkers) {
  std::vector<BenHaimHistogram> workers;
  for (std::uint32_t w = 0; w < 9; ++w) workers.push_back(histogram_of(noise_values(w, 400, 0, 1), 20));
  BenHaimHistogram forwards(20), backwards(20);
  forwards.merge(workers);
  std::ranges::reverse(workers);
  backwards.merge(workers);
  EXPECT_EQ(bins_of(forwards), bins_of(backwards));
  EXPECT_EQ(forwards.bins().size(), 20u);
  EXPECT_EQ(forwards.total(), 3600u);
}

TEST(BenHaimHistogram, RefusesUnknownValuesAndSillySizes) {
  BenHaimHistogram histogram(5);
  const std::vector<float> values = {1, 2, __builtin_nanf("")};
  try {
    histogram.update(values);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_THAT(error.what(), testing::StartsWith("value 2 of 3 is unknown (NaN)"));
  }
  EXPECT_EQ(histogram.total(), 0u);
  EXPECT_THROW(BenHaimHistogram(1), Error);
  EXPECT_THROW(BenHaimHistogram((1 << 20) + 1), Error);
}

}  // namespace
}  // namespace fernwood::stream
