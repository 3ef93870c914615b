// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/race.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/draw.h"

namespace fernwood::search {
namespace {

using Losses = std::vector<double>;

/// The p-value of a trial compared with another.
double p_of(RaceTest test, double test_share, const Losses& losses, const Losses& other) {
  const RaceRules rules = {test, 0.05, 3, 10, test_share};
  return run_interim_test(rules, std::vector<Contestant>{{0, 0, losses}, {1, 0, other}}).p[0];
}

TEST(Race, PlainStudentsTIsThatOfTables) {
  // Differences 1, 2, 3: mean 2, standard deviation 1, t = 2 sqrt(3) with 2 degrees of freedom.
  EXPECT_NEAR(p_of(RaceTest::kStudent, 0.5, {1, 2, 3}, {0, 0, 0}), 0.0370901, 1e-6);
}

TEST(Race, NadeauAndBengioAddTheShareOfTheTest) {
  // t = 2 / sqrt(1/3 + 1/2); with 2 degrees of freedom p = (1 - t / sqrt(2 + t^2)) / 2.
  EXPECT_NEAR(p_of(RaceTest::kNadeauBengio, 0.5, {1, 2, 3}, {0, 0, 0}), 0.0799160, 1e-6);
}

TEST(Race, EqualOrBetterIsNeverWorse) {
  EXPECT_EQ(p_of(RaceTest::kNadeauBengio, 0.1, {1, 1, 1}, {1, 1, 1}), 1);
  EXPECT_EQ(p_of(RaceTest::kNadeauBengio, 0.1, {0, 1, 1}, {1, 1, 1}), 1);
}

TEST(Race, WorseByTheSameOnAllFoldsIsWorse) { EXPECT_EQ(p_of(RaceTest::kNadeauBengio, 0.1, {2, 3, 4}, {1, 2, 3}), 0); }

TEST(Race, TrialsLendEachOtherTheirDegreesOfFreedom) {
  const RaceRules rules = {RaceTest::kNadeauBengio, 0.05, 2, 10, 0};
  const Losses a = {0, 1}, b = {1, 0}, c = {10, 10}, d = {7, 10};
  // Minus the fold means, a and b are -1/2, 1/2 and 1/2, -1/2, the others 0: a sum of squares of 1 with 2 degrees of
  // freedom.
  const std::vector<Contestant> three = {{0, 0, a}, {1, 0, b}, {2, 0, c}};
  const InterimTest test = run_interim_test(rules, three);
  EXPECT_EQ(test.leader, 0u);
  // c is 9.5 above the leader with a variance of 1 per fold, so t = 9.5 sqrt(2) with 2 degrees of freedom.
  const double t = 9.5 * std::sqrt(2.0);
  EXPECT_NEAR(test.p[2], 0.5 * (1 - t / std::sqrt(2 + t * t)), 1e-9);
  EXPECT_EQ(test.p[1], 1);
  // A trial whose differences vary more than the pooled ones is tested with its own variance: 7 and 9 have a variance
  // of 2.
  const std::vector<Contestant> other = {{0, 0, a}, {1, 0, b}, {2, 0, d}, {3, 0, a}, {4, 0, b}, {5, 0, b}, {6, 0, a}};
  EXPECT_GT(run_interim_test(rules, other).p[2], 0);
}

TEST(Race, VariantsOfATrialAreOneRival) {
  const RaceRules rules = {RaceTest::kNadeauBengio, 0.05, 3, 12, 0};
  const Losses a = {3, 1, 1}, b = {1, 2, 1}, c = {2, 1, 1};
  const std::vector<Contestant> all = {{0, 0, a}, {0, 1, b}, {1, 0, c}, {2, 0, c}};
  const InterimTest test = run_interim_test(rules, all);
  EXPECT_EQ(test.leader, 1u);
  EXPECT_DOUBLE_EQ(test.level, 0.0025);
  const std::vector<Contestant> best = best_of_each_trial(all);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best.front().variant, 1u);
}

TEST(Race, AlphaIsSharedByAllInterimTestsAndRivals) {
  EXPECT_DOUBLE_EQ((RaceRules{RaceTest::kNadeauBengio, 0.05, 3, 12, 0}).alpha_of_interim_test(2), 0.005);
  EXPECT_DOUBLE_EQ((RaceRules{RaceTest::kNadeauBengio, 0.05, 3, 12, 0}).alpha_of_interim_test(11), 0.0005);
  EXPECT_DOUBLE_EQ((RaceRules{RaceTest::kNadeauBengio, 0.05, 2, 2, 0}).alpha_of_interim_test(1), 0.05);
  EXPECT_DOUBLE_EQ((RaceRules{RaceTest::kStudent, 0.005, 3, 12, 0}).alpha_of_interim_test(24), 0.005);
}

TEST(Race, IntervalsFollowStudentsTWithinZeroAndOne) {
  // Mean 0.2, standard deviation 0.1, 2 degrees of freedom: 4.302653 * 0.1 * sqrt(1/3 + 1/6).
  const Interval interval = mean_interval(Losses{0.3, 0.4, 0.5}, 1.0 / 6, 0.95);
  EXPECT_NEAR(interval.mean, 0.4, 1e-12);
  EXPECT_NEAR(interval.low, 0.4 - 0.304243, 1e-5);
  EXPECT_NEAR(interval.high, 0.4 + 0.304243, 1e-5);
  EXPECT_EQ(mean_interval(Losses{0.1, 0.9}, 1, 0.95).low, 0);
  EXPECT_EQ(mean_interval(Losses{0.4}, 1, 0.95).high, 1);
}

/// A normally distributed number for a race, a fold and a variant.
double normal_of(std::uint32_t race, std::uint32_t fold, std::uint32_t variant) {
  const Draw numbers = draw(7, RngStream::kSynthetic, 0, race, fold, variant);
  return std::sqrt(-2 * std::log(1 - static_cast<double>(numbers.unit(0)))) * std::cos(6.283185307 * numbers.unit(1));
}

/// Share of races in which the first variant is eliminated, although all differ only by noise.
double share_of_false_eliminations(std::size_t num_variants, const RaceRules& rules, double overlap, int num_races) {
  int falls = 0;
  for (int race = 0; race < num_races; ++race) {
    std::vector<Losses> losses(num_variants, Losses(rules.num_folds));
    for (std::uint32_t v = 0; v < num_variants; ++v) {
      // Overlapping training sets correlate the losses of a variant on all folds.
      const double shared = overlap * normal_of(static_cast<std::uint32_t>(race), 999, v);
      for (std::uint32_t b = 0; b < rules.num_folds; ++b)
        losses[v][b] = 0.3 + 0.01 * (shared + normal_of(static_cast<std::uint32_t>(race), b, v));
    }
    bool eliminated = false;
    for (std::size_t n = rules.first_interim_test; n <= rules.num_folds && !eliminated; ++n) {
      std::vector<Contestant> all;
      for (std::size_t v = 0; v < num_variants; ++v) all.push_back({v, 0, std::span<const double>(losses[v]).first(n)});
      const InterimTest test = run_interim_test(rules, all);
      eliminated = test.p[0] < test.level;
    }
    falls += eliminated;
  }
  return static_cast<double>(falls) / num_races;
}

TEST(Race, AVariantAsGoodAsTheBestIsEliminatedMoreRarelyThanAlpha) {
  for (const std::size_t num_variants : {2, 8, 24}) {
    RaceRules rules = {RaceTest::kNadeauBengio, 0.05, 2, 12, 1.0 / 11};
    EXPECT_LT(share_of_false_eliminations(num_variants, rules, 0.3, 400), 0.05) << num_variants;
    rules.test = RaceTest::kStudent;
    EXPECT_GT(share_of_false_eliminations(num_variants, rules, 0.3, 400), 0.15) << num_variants;  // without correction
  }
}

}  // namespace
}  // namespace fernwood::search
