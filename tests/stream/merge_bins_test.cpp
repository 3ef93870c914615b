// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/merge_bins.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <map>

#include "fernwood/core/error.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

/// The procedure as it is printed: one merge after the other.
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

/// Values of many kinds: few whole numbers (ties), neighbouring floats, denormals, any magnitude, with infinities.
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
    const Draw drawn = draw(8, Purpose::kProbe, 0, series, i);
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

}  // namespace
}  // namespace fernwood::stream
