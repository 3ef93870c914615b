// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/ben_haim.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "fernwood/core/error.h"
#include "stream/noise_values.h"

namespace fernwood::lab {
namespace {

using stream::kInfinity;
using stream::noise;
using stream::noise_values;

/// The published procedure: one merge after another.
std::vector<Bin> greedy_merge(const std::vector<Bin>& bins, std::size_t max_bins) {
  std::map<double, std::uint64_t> counts;
  for (const Bin& bin : bins) counts[bin.value == 0 ? 0.0 : bin.value] += bin.count;
  std::vector<Bin> row;
  for (const auto& [value, count] : counts) row.push_back({value, count});
  while (row.size() > max_bins) {
    std::size_t least = 0;
    for (std::size_t i = 1; i + 1 < row.size(); ++i)
      if (row[i + 1].value - row[i].value < row[least + 1].value - row[least].value) least = i;
    const Bin a = row[least], b = row[least + 1];
    const double m = static_cast<double>(a.count), n = static_cast<double>(b.count);
    const double mean = std::clamp((a.value * m + b.value * n) / (m + n), a.value, b.value);
    row[least] = {mean == 0 ? 0.0 : mean, a.count + b.count};
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(least) + 1);
  }
  return row;
}

std::string bits_text(const std::vector<Bin>& bins) {
  std::string text;
  for (const Bin& bin : bins)
    text += std::to_string(std::bit_cast<std::uint64_t>(bin.value)) + " x " + std::to_string(bin.count) + ", ";
  return text;
}

/// Values of many kinds: small integers (ties), adjacent floats, denormals, all magnitudes including infinities.
double hard_value(std::uint32_t kind, std::uint32_t word) {
  const auto some = static_cast<std::int32_t>(word >> 8);
  if (kind >= 3 && word % 16 == 0) return word & 16 ? kInfinity : -kInfinity;
  switch (kind % 6) {
    case 0:
      return some % 12 - 6;
    case 1:
      return some % 40 * 0.125 - 2;
    case 2:
      return some / 16777216.0 - 0.5;
    case 3:
      return (some % 50 - 25) * 4.9406564584124654e-324;
    case 4:
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0) + some % 9);
    default: {
      const float any = std::bit_cast<float>(word * 2654435761u);
      return any == any ? any : -0.0;
    }
  }
}

std::vector<Bin> hard_bins(std::uint32_t series, std::size_t count) {
  std::vector<Bin> bins(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Draw drawn = draw(8, RngStream::kScene, 0, series, i);
    bins[i] = {hard_value(series % 6, drawn.word[0]), series % 2 ? 1 + drawn.below(1, 9) : 1};
    if (drawn.word[2] % 32 == 0) bins[i].count = 1'000'000'007ull * (1 + drawn.below(3, 1000));
  }
  return bins;
}

TEST(MergeBins, IsTheGreedyProcedureBitForBit) {
  for (std::uint32_t series = 0; series < 24'000; ++series) {
    const std::vector<Bin> bins = hard_bins(series, 1 + noise(1, series) % 48);
    const int max_bins = 2 + static_cast<int>(noise(2, series) % 24);
    ASSERT_EQ(bits_text(merge_bins(bins, max_bins)), bits_text(greedy_merge(bins, static_cast<std::size_t>(max_bins))))
        << "series " << series << ", " << bins.size() << " bins to " << max_bins;
  }
}

TEST(MergeBins, IsTheGreedyProcedureForManyWorkers) {
  for (std::uint32_t series = 0; series < 60; ++series) {
    const std::vector<Bin> bins = hard_bins(series, 800);
    ASSERT_EQ(bits_text(merge_bins(bins, 50)), bits_text(greedy_merge(bins, 50))) << series;
  }
}

TEST(MergeBins, DoesNotDependOnTheOrderOfBins) {
  for (std::uint32_t series = 0; series < 600; ++series) {
    std::vector<Bin> bins = hard_bins(series, 60);
    const std::string expected = bits_text(merge_bins(bins, 10));
    for (std::uint32_t i = 60; i > 1; --i) std::swap(bins[i - 1], bins[noise(series, i) % i]);
    ASSERT_EQ(bits_text(merge_bins(bins, 10)), expected) << series;
    ASSERT_EQ(bits_text(merge_bins({bins.rbegin(), bins.rend()}, 10)), expected) << series;
  }
}

TEST(MergeBins, OfEqualGapsTheLeftmostIsMergedFirst) {
  EXPECT_EQ(merge_bins({{1, 1}, {2, 1}, {3, 1}, {4, 1}}, 3), (std::vector<Bin>{{1.5, 2}, {3, 1}, {4, 1}}));
  EXPECT_EQ(merge_bins({{4, 1}, {3, 1}, {2, 1}, {1, 1}}, 2), (std::vector<Bin>{{1.5, 2}, {3.5, 2}}));
}

TEST(MergeBins, AddsUpEqualValuesAndBothZeros) {
  EXPECT_EQ(merge_bins({{5, 1}, {-0.0, 2}, {5, 3}, {0.0, 4}}, 2), (std::vector<Bin>{{0, 6}, {5, 4}}));
  EXPECT_FALSE(std::signbit(merge_bins({{-0.0, 1}}, 2)[0].value));
}

TEST(MergeBins, InfiniteBinsTakeFiniteOnesLastAndNeverMeet) {
  const double inf = kInfinity;
  EXPECT_EQ(merge_bins({{inf, 1}, {1, 1}, {9, 1}, {-inf, 2}}, 3), (std::vector<Bin>{{-inf, 2}, {5, 2}, {inf, 1}}));
  EXPECT_EQ(merge_bins({{inf, 1}, {1, 1}, {9, 1}, {-inf, 2}}, 2), (std::vector<Bin>{{-inf, 4}, {inf, 1}}));
}

TEST(MergeBins, RefusesFewerThanTwoBins) {
  EXPECT_TRUE(merge_bins({}, 2).empty());
  EXPECT_THROW(merge_bins({}, 1), Error);
}

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

/// The paper's example: seven values, then a histogram of three more, with five bins.
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
  // With the eleventh value, ten gaps of 1: more than the four running minima of the search.
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
  // Adjacent bins of equal counts: the quadratic equation becomes linear.
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
}  // namespace fernwood::lab
