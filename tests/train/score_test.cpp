// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace fernwood::train {
namespace {

using ClassCounts = std::vector<float>;

float total_of(const ClassCounts& counts) {
  float total = 0;
  for (const float count : counts) total += count;
  return total;
}

float impurity_of(const ClassCounts& counts) {
  float entropy = 0;
  for (const float count : counts) entropy += entropy_term(count, 1.0f / total_of(counts));
  return entropy;
}

float score_of(ScoreKind kind, const ClassCounts& left, const ClassCounts& right) {
  ClassCounts both = left;
  for (std::size_t c = 0; c < both.size(); ++c) both[c] += right[c];
  return split_score(kind, impurity_of(both), impurity_of(left), impurity_of(right), total_of(left), total_of(right));
}

constexpr auto kGain = ScoreKind::kInformationGain, kNormalized = ScoreKind::kNormalizedInformationGain;

TEST(EntropyTerm, IsMinusPLog2P) {
  EXPECT_EQ(entropy_term(1, 0.5f), 0.5f);    // -1/2 log2 1/2
  EXPECT_EQ(entropy_term(2, 0.125f), 0.5f);  // -1/4 log2 1/4
  EXPECT_EQ(entropy_term(1, 0.125f), 0.375f);
  EXPECT_NEAR(entropy_term(1, 1.0f / 3), 0.5283208f, 1e-6f);  // log2(3) / 3
}

TEST(EntropyTerm, AbsentAndOnlyClassesAddNothing) {
  EXPECT_EQ(entropy_term(0, 0.25f), 0.0f);
  EXPECT_EQ(entropy_term(7, 1.0f / 7), 0.0f);
}

TEST(EntropyTerm, EqualClassesGiveTheLogarithmOfTheirNumber) {
  EXPECT_EQ(impurity_of({5, 5}), 1.0f);
  EXPECT_EQ(impurity_of({3, 3, 3, 3}), 2.0f);
  EXPECT_NEAR(impurity_of({9, 5}), 0.9402860f, 1e-6f);  // the weather data of Quinlan: 14 days
}

TEST(InformationGain, IsParentLessWeightedChildren) {
  // Quinlan's data: wind splits [9+, 5-] into [6+, 2-] and [3+, 3-]: 0.940286 - 8/14 * 0.811278 - 6/14 * 1.
  EXPECT_NEAR(score_of(kGain, {6, 2}, {3, 3}), 0.0481270f, 1e-6f);
  // Humidity splits it into [3+, 4-] and [6+, 1-]: 0.940286 - (0.985228 + 0.591673) / 2.
  EXPECT_NEAR(score_of(kGain, {3, 4}, {6, 1}), 0.1518355f, 1e-6f);
}

TEST(InformationGain, PerfectSplitGainsTheWholeEntropy) {
  EXPECT_EQ(score_of(kGain, {4, 0}, {0, 4}), 1.0f);
  EXPECT_EQ(score_of(kGain, {0, 4, 0, 4}, {4, 0, 4, 0}), 1.0f);  // 2 bits, of which 1 remains in each child
}

TEST(InformationGain, SidesMayBeExchanged) {
  EXPECT_EQ(score_of(kGain, {6, 2}, {3, 3}), score_of(kGain, {3, 3}, {6, 2}));
  EXPECT_EQ(score_of(kNormalized, {6, 2}, {3, 3}), score_of(kNormalized, {3, 3}, {6, 2}));
}

TEST(SplitScore, SameMixtureInBothChildrenIsWorthNothing) {
  for (const float n : {1.0f, 2.0f, 8.0f})
    for (const ScoreKind kind : {kGain, kNormalized}) EXPECT_EQ(score_of(kind, {n, n}, {n, n}), 0.0f);
}

TEST(SplitScore, EmptySideIsMinusOne) {
  for (const ScoreKind kind : {kGain, kNormalized}) {
    EXPECT_EQ(split_score(kind, 1, 1, 0, 8, 0), -1.0f);
    EXPECT_EQ(split_score(kind, 1, 0, 1, 0, 8), -1.0f);
    EXPECT_EQ(split_score(kind, 0, 0, 0, 0, 0), -1.0f);
  }
}

TEST(SplitScore, PureNodeScoresZeroAndNotNan) {
  for (const ScoreKind kind : {kGain, kNormalized}) EXPECT_EQ(split_score(kind, 0, 0, 0, 3, 5), 0.0f);
}

TEST(NormalizedInformationGain, DividesTwiceTheGainByTheEntropiesOfNodeAndSplit) {
  // A perfect split into halves: 2 * 1 / (1 + 1).
  EXPECT_EQ(score_of(kNormalized, {4, 0}, {0, 4}), 1.0f);
  // Four classes, two on each side: 2 * 1 / (2 + 1).
  EXPECT_NEAR(score_of(kNormalized, {0, 4, 0, 4}, {4, 0, 4, 0}), 0.6666667f, 1e-6f);
  // Values from CURFIL's tests. Gain 0.0715503; entropies 0.9975025 and (of 13 : 4) 0.7871266.
  EXPECT_NEAR(score_of(kNormalized, {5, 8}, {3, 1}), 0.0801851f, 1e-6f);
  // Gain 0.3292090; entropies 0.9975025 and (of 10 : 7) 0.9774178.
  EXPECT_NEAR(score_of(kNormalized, {2, 8}, {6, 1}), 0.3333896f, 1e-6f);
}

TEST(NormalizedInformationGain, PrefersUnequalSidesAtEqualGain) {
  // Thesis, section 3.1.1: sides of 1 : 7 have a lower split entropy than 4 : 4.
  EXPECT_GT(split_score(kNormalized, 1.0f, 0.5f, 0.5f, 1, 7), split_score(kNormalized, 1.0f, 0.5f, 0.5f, 4, 4));
}

TEST(IsBetter, ComparesScoreThenCandidateThenThreshold) {
  EXPECT_TRUE(is_better({0.5f, 9, 9}, {0.25f, 1, 1}));
  EXPECT_FALSE(is_better({0.25f, 1, 1}, {0.5f, 9, 9}));
  EXPECT_TRUE(is_better({0.5f, 1, 9}, {0.5f, 2, 1}));
  EXPECT_FALSE(is_better({0.5f, 2, 1}, {0.5f, 1, 9}));
  EXPECT_TRUE(is_better({0.5f, 2, 1}, {0.5f, 2, 3}));
  EXPECT_FALSE(is_better({0.5f, 2, 3}, {0.5f, 2, 1}));
  EXPECT_FALSE(is_better({0.5f, 2, 3}, {0.5f, 2, 3}));
}

TEST(IsBetter, NoCandidateLosesAgainstEveryCandidate) {
  const BestSplit none;
  EXPECT_LT(none.candidate, 0);
  EXPECT_TRUE(is_better({none.score, 1000000, 254}, none));
  EXPECT_FALSE(is_better(none, {none.score, 1000000, 254}));
}

TEST(IsBetter, AnyOrderOfComparingGivesTheSameWinner) {
  std::vector<BestSplit> splits;
  for (const float score : {0.125f, 0.5f})
    for (const std::int32_t candidate : {3, 1, 2})
      for (const std::int32_t threshold : {2, 0, 1}) splits.push_back({score, candidate, threshold});
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    for (std::size_t i = splits.size(); i > 1; --i) std::swap(splits[i - 1], splits[random() % i]);
    BestSplit best;
    for (const BestSplit& split : splits)
      if (is_better(split, best)) best = split;
    EXPECT_EQ(best.score, 0.5f);
    EXPECT_EQ(best.candidate, 1);
    EXPECT_EQ(best.threshold, 0);
  }
}

TEST(SharedScore, IsTheScoreTimesTheSamplesInFixedPoint) {
  EXPECT_EQ(shared_score(0.5f, 3), 3u << 23);
  EXPECT_EQ(shared_score(1.0f, 4000000000u), std::uint64_t{4000000000u} << 24);
  EXPECT_EQ(shared_score(16.0f, 1), 1u << 28);
}

TEST(SharedScore, UselessSplitsAddNothing) {
  for (const float score : {-1.0f, 0.0f, kMinUsefulScore}) EXPECT_EQ(shared_score(score, 1000), 0u);
}

TEST(SharedSplit, ComparesScoreThenCandidateThenThreshold) {
  const SharedSplit none, best{9, 2, 3};
  EXPECT_TRUE(best.is_better_than(none));
  EXPECT_FALSE(none.is_better_than(best));
  EXPECT_FALSE(none.is_better_than(none));
  EXPECT_FALSE((SharedSplit{0, 1, 1}.is_better_than(none))) << "a score of 0 is no use";
  EXPECT_TRUE(best.is_better_than({8, 1, 1}));
  EXPECT_TRUE(best.is_better_than({9, 3, 1}));
  EXPECT_TRUE(best.is_better_than({9, 2, 4}));
  EXPECT_FALSE(best.is_better_than(best));
}

}  // namespace
}  // namespace fernwood::train
