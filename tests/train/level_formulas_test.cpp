// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/level_formulas.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace fernwood::train {
namespace {

TEST(SplitKey, OrdersSplitsAsIsBetterDoes) {
  const std::vector<BestSplit> splits = {
      {0.5f, 3, 7},  {0.5f, 3, 6},  {0.5f, 2, 200},      {0.5000001f, 999999, 254}, {0.25f, 0, 0},
      {1.0f, 17, 3}, {2e-6f, 1, 1}, {0.5f, 999999, 254}, {1.5e-6f, 40, 9},          {}};
  for (const BestSplit& a : splits)
    for (const BestSplit& b : splits)
      EXPECT_EQ(split_key(a.score, a.candidate, a.threshold) > split_key(b.score, b.candidate, b.threshold),
                is_better(a, b))
          << a.score << " " << a.candidate << " against " << b.score << " " << b.candidate;
}

TEST(SplitKey, CarriesTheSplit) {
  const BestSplit split = split_of_key(split_key(0.375f, 123456, 77));
  EXPECT_EQ(split.score, 0.375f);
  EXPECT_EQ(split.candidate, 123456);
  EXPECT_EQ(split.threshold, 77);
}

TEST(SplitKey, OfAUselessSplitIsNone) {
  EXPECT_EQ(split_key(kMinUsefulScore, 0, 0), 0u);
  EXPECT_EQ(split_key(-1.0f, 0, 0), 0u);
  EXPECT_EQ(split_of_key(0).candidate, -1);
  EXPECT_EQ(split_of_key(0).score, kMinUsefulScore);
}

TEST(BinOf, CountsTheThresholdsBelow) {
  const float thresholds[] = {-2, 0, 0, 3, 4, 5, 6};
  const auto bin = [&](float response) { return bin_of<3>(response, thresholds, 1); };
  EXPECT_EQ(bin(-3), 0);
  EXPECT_EQ(bin(-2), 0);  // responses equal to a threshold go left
  EXPECT_EQ(bin(-1), 1);
  EXPECT_EQ(bin(0), 1);
  EXPECT_EQ(bin(1), 3);
  EXPECT_EQ(bin(3.5f), 4);
  EXPECT_EQ(bin(6), 6);
  EXPECT_EQ(bin(7), 7);
}

TEST(BinOf, NanIsBehindAllAndInfinitiesStandForNone) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float thresholds[] = {1, 2, infinity};
  EXPECT_EQ(bin_of<2>(not_a_number(), thresholds, 1), 3);
  EXPECT_EQ(bin_of<2>(1e30f, thresholds, 1), 2);
  EXPECT_EQ(bin_of<1>(1.5f, thresholds, 1), 1);
  EXPECT_EQ(bin_of<1>(0.5f, thresholds, 1), 0);
}

TEST(BinOf, StepsOverOtherFeaturesThresholds) {
  const float thresholds[] = {1, 100, 2, 200, 3, 300};
  EXPECT_EQ(bin_of<2>(2.5f, thresholds, 2), 2);
  EXPECT_EQ(bin_of<2>(250, thresholds + 1, 2), 2);
}

/// A node with two samples of each of two classes: number of samples up to each of three thresholds, by class.
constexpr std::uint32_t kLeft[2][3] = {{1, 2, 2}, {0, 0, 1}};
constexpr std::uint32_t kClassCounts[] = {77, 2, 2};  // the node's counts start at index 1
constexpr NodeSamples kNode = {10, 14, 1, 2, 1.0f};

TEST(ScoreThresholds, GivesTheGainOfEach) {
  float scores[3];
  score_thresholds<4>(
      ScoreKind::kInformationGain, kNode, kClassCounts, 3, [](std::uint32_t c, int t) { return kLeft[c][t]; }, scores);
  EXPECT_NEAR(scores[0], 0.3112781f, 1e-6f);  // 1 - 3/4 times the entropy of 1 : 2
  EXPECT_EQ(scores[1], 1.0f);
  EXPECT_EQ(scores[2], scores[0]);
}

TEST(ScoreThresholds, OneByOneIsTheSameAsTogether) {
  for (const ScoreKind kind : {ScoreKind::kInformationGain, ScoreKind::kNormalizedInformationGain}) {
    float together[3], alone;
    score_thresholds<3>(
        kind, kNode, kClassCounts, 3, [](std::uint32_t c, int t) { return kLeft[c][t]; }, together);
    for (int at = 0; at < 3; ++at) {
      score_thresholds<1>(
          kind, kNode, kClassCounts, 1, [&](std::uint32_t c, int) { return kLeft[c][at]; }, &alone);
      EXPECT_EQ(bits_of(alone), bits_of(together[at])) << "threshold " << at;
    }
  }
}

TEST(ScoreThresholds, AnEmptySideIsMinusOne) {
  float score;
  for (const std::uint32_t count : {0u, 2u}) {
    score_thresholds<1>(
        ScoreKind::kInformationGain, kNode, kClassCounts, 1, [&](std::uint32_t, int) { return count; }, &score);
    EXPECT_EQ(score, -1.0f) << count;
  }
}

}  // namespace
}  // namespace fernwood::train
