// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/grid.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "records/evaluate/block_columns.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

using testing::ElementsAre;

LogLinearSketch grid_sketch_of(const std::vector<float>& values, float centre = 0) {
  LogLinearSketch sketch(kMaxFractionBits, centre);
  sketch.update(values);
  return sketch;
}

std::uint8_t bin_among(float value, const std::vector<float>& edges) {
  return bin_of(value, edges.data(), static_cast<std::uint32_t>(edges.size()));
}

std::vector<std::size_t> counts_of(const std::vector<float>& values, const std::vector<float>& edges) {
  std::vector<std::size_t> counts(edges.size() + 1);
  for (const float value : values) ++counts[bin_among(value, edges)];
  return counts;
}

TEST(EvenEdges, GiveEachBucketABinWhereTheyFit) {
  const std::vector<float> values = {3, -1, 0, 3, 3, 7, -1};
  for (const int bins : {4, 255}) {
    const std::vector<float> edges = even_edges(grid_sketch_of(values), bins);
    ASSERT_EQ(edges.size(), 3u);
    EXPECT_THAT(counts_of(values, edges), ElementsAre(2, 1, 3, 1));
    // Roughly midway between the values; the width of a bucket is 2^-8 of its values.
    EXPECT_NEAR(edges[0], -0.5, 0.01);
    EXPECT_NEAR(edges[1], 1.5, 0.02);
    EXPECT_NEAR(edges[2], 5, 0.03);
  }
}

TEST(EvenEdges, PartValuesEvenlyUpToTheLargestBucketOfABin) {
  const std::vector<float> values = noise_values(1, 20'000, -3, 10);
  const LogLinearSketch sketch = grid_sketch_of(values, 0.5f);
  std::uint64_t largest_bucket = 0;
  for (const LogLinearSketch::Bucket& bucket : sketch.buckets())
    largest_bucket = std::max(largest_bucket, bucket.count);
  for (const int bins : {2, 3, 10, 64, 255}) {
    const std::vector<float> edges = even_edges(sketch, bins);
    EXPECT_EQ(edges.size() + 1, static_cast<std::size_t>(bins));
    EXPECT_TRUE(std::ranges::is_sorted(edges));
    const double share = 20'000.0 / bins;
    for (const std::size_t count : counts_of(values, edges)) {
      EXPECT_LT(static_cast<double>(count), share + static_cast<double>(largest_bucket)) << bins;
      EXPECT_GT(static_cast<double>(count), share - static_cast<double>(largest_bucket)) << bins;
    }
  }
}

TEST(EvenEdges, LeaveHeavyValuesABinOfTheirOwnAndShareTheRest) {
  // 5 makes up nine tenths of the values; the others are divided as if it were absent.
  std::vector<float> values = noise_values(2, 2000, 0, 10);
  values.insert(values.end(), 18'000, 5.0f);
  const std::vector<float> edges = even_edges(grid_sketch_of(values), 21);
  EXPECT_GE(edges.size(), 18u);
  std::vector<std::size_t> counts = counts_of(values, edges);
  std::ranges::sort(counts, std::greater<>());
  EXPECT_GE(counts[0], 18'000u);
  EXPECT_LT(counts[0], 19'050u);  // may include neighbours, up to the size of a bin
  EXPECT_LT(counts[1], 1000u);
}

TEST(EvenEdges, AreDifferentThoughRoundingMayJoinBuckets) {
  // Near such a large centre, most buckets do not contain a float.
  std::vector<float> values;
  for (int i = -300; i < 300; ++i) values.push_back(16'777'216.0f + static_cast<float>(i));
  for (const int bins : {2, 100, 255}) {
    const std::vector<float> edges = even_edges(grid_sketch_of(values, 16'777'216.0f), bins);
    EXPECT_LT(edges.size(), static_cast<std::size_t>(bins));
    EXPECT_EQ(std::ranges::adjacent_find(edges, std::greater_equal<>()), edges.end());
  }
}

TEST(BinOf, CountsTheEdgesBelowAsRankColumnsDo) {
  std::vector<float> values = noise_values(3, 1000, -2, 4);
  values.insert(values.end(), {kInfinity, -kInfinity, 0.0f, -0.0f, __builtin_nanf("")});
  for (const std::uint32_t num_edges : {1u, 2u, 3u, 100u, 254u}) {
    std::vector<float> edges = noise_values(4 + num_edges, num_edges, -2, 4);
    std::ranges::sort(edges);
    values.insert(values.end(), edges.begin(), edges.end());
    const records::RankColumns columns(records::rank_thresholds(std::vector<std::vector<float>>{edges}));
    std::vector<std::uint8_t> ranks(values.size() + records::kRankTile);
    columns.fill_column(0, values.data(), 1, values.size(), ranks.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto below =
          is_nan(values[i])
              ? num_edges + 1
              : static_cast<std::uint32_t>(std::ranges::count_if(edges, [&](float edge) { return edge < values[i]; }));
      ASSERT_EQ(bin_among(values[i], edges), below) << values[i];
      ASSERT_EQ(ranks[i], below) << values[i];
    }
  }
}

}  // namespace
}  // namespace fernwood::stream
