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
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Race, PlainStudentsTIsThatOfTables) {
  // Differences 1, 2, 3: mean 2, deviation 1, t = 2 sqrt(3) with 2 degrees of freedom.
  const RaceRules rules = {RaceTest::kStudent, 0.05, 3, 10, 0.5};
  EXPECT_NEAR(p_of_being_no_worse(rules, Losses{1, 2, 3}, Losses{0, 0, 0}), 0.0370901, 1e-6);
}

TEST(Race, NadeauAndBengioAddTheShareOfTheTest) {
  // t = 2 / sqrt(1/3 + 1/2); with 2 degrees of freedom p = (1 - t / sqrt(2 + t^2)) / 2.
  const RaceRules rules = {RaceTest::kNadeauBengio, 0.05, 3, 10, 0.5};
  EXPECT_NEAR(p_of_being_no_worse(rules, Losses{1, 2, 3}, Losses{0, 0, 0}), 0.0799160, 1e-6);
}

TEST(Race, EqualOrBetterIsNeverWorse) {
  const RaceRules rules = {RaceTest::kNadeauBengio, 0.05, 3, 10, 0.1};
  EXPECT_EQ(p_of_being_no_worse(rules, Losses{1, 1, 1}, Losses{1, 1, 1}), 1);
  EXPECT_EQ(p_of_being_no_worse(rules, Losses{0, 1, 1}, Losses{1, 1, 1}), 1);
  EXPECT_EQ(p_of_being_no_worse(rules, Losses{kNan, 1, 1}, Losses{1, 1, 1}), 1);
}

TEST(Race, WorseByTheSameOnAllBlocksIsWorse) {
  const RaceRules rules = {RaceTest::kNadeauBengio, 0.05, 3, 10, 0.1};
  EXPECT_EQ(p_of_being_no_worse(rules, Losses{2, 3, 4}, Losses{1, 2, 3}), 0);
}

TEST(Race, TheLevelIsSharedByAllLooks) {
  EXPECT_DOUBLE_EQ((RaceRules{RaceTest::kNadeauBengio, 0.05, 3, 12, 0}).level_of_a_look(), 0.005);
  EXPECT_DOUBLE_EQ((RaceRules{RaceTest::kNadeauBengio, 0.05, 3, 2, 0}).level_of_a_look(), 0.05);
  EXPECT_DOUBLE_EQ((RaceRules{RaceTest::kStudent, 0.005, 3, 12, 0}).level_of_a_look(), 0.005);
}

TEST(Race, TheLeaderHasTheLeastMeanTheFirstOfSeveral) {
  const Losses a = {3, 1}, b = {1, 2}, c = {2, 1};
  EXPECT_EQ(find_leader(std::vector<Contestant>{{0, 0, a}, {1, 0, b}, {2, 0, c}}), 1u);
}

TEST(Race, IntervalsAreStudentsWithinZeroAndOne) {
  // Mean 0.2, deviation 0.1, 2 degrees of freedom: 4.302653 * 0.1 * sqrt(1/3 + 1/6).
  const Interval interval = mean_interval(Losses{0.3, 0.4, 0.5}, 1.0 / 6, 0.95);
  EXPECT_NEAR(interval.mean, 0.4, 1e-12);
  EXPECT_NEAR(interval.low, 0.4 - 0.304243, 1e-5);
  EXPECT_NEAR(interval.high, 0.4 + 0.304243, 1e-5);
  EXPECT_EQ(mean_interval(Losses{0.1, 0.9}, 1, 0.95).low, 0);
  EXPECT_EQ(mean_interval(Losses{0.4}, 1, 0.95).high, 1);
}

/// A normal number of a race, a block and a variant.
double normal_of(std::uint32_t race, std::uint32_t block, std::uint32_t variant) {
  const Draw numbers = draw(7, Purpose::kSynthetic, 0, race, block, variant);
  return std::sqrt(-2 * std::log(1 - static_cast<double>(numbers.unit(0)))) * std::cos(6.283185307 * numbers.unit(1));
}

/// Share of races in which the first variant falls, all being the same but for noise.
double share_of_false_falls(std::size_t num_variants, const RaceRules& rules, double overlap, int num_races) {
  int falls = 0;
  for (int race = 0; race < num_races; ++race) {
    std::vector<Losses> losses(num_variants, Losses(rules.num_blocks));
    for (std::uint32_t v = 0; v < num_variants; ++v) {
      // What trainings share makes the losses of a variant alike on all blocks.
      const double shared = overlap * normal_of(static_cast<std::uint32_t>(race), 999, v);
      for (std::uint32_t b = 0; b < rules.num_blocks; ++b)
        losses[v][b] = 0.3 + 0.01 * (shared + normal_of(static_cast<std::uint32_t>(race), b, v));
    }
    bool fell = false;
    for (std::size_t n = rules.first_look; n <= rules.num_blocks && !fell; ++n) {
      std::vector<Contestant> all;
      for (std::size_t v = 0; v < num_variants; ++v) all.push_back({v, 0, std::span<const double>(losses[v]).first(n)});
      const std::size_t leader = find_leader(all);
      fell = p_of_being_no_worse(rules, all[0].losses, all[leader].losses) < rules.level_of_a_look();
    }
    falls += fell;
  }
  return static_cast<double>(falls) / num_races;
}

TEST(Race, AVariantAsGoodAsTheBestFallsMoreRarelyThanTheLevel) {
  RaceRules rules = {RaceTest::kNadeauBengio, 0.05, 3, 12, 1.0 / 11};
  EXPECT_LT(share_of_false_falls(2, rules, 0.3, 1000), 0.05);
  rules.test = RaceTest::kStudent;
  EXPECT_GT(share_of_false_falls(2, rules, 0.3, 1000), 0.15);  // what the correction is for
}

}  // namespace
}  // namespace fernwood::search
