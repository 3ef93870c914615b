// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/propose.h"

#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "search/toy_problem.h"

namespace fernwood::search {
namespace {

std::vector<Configuration> propose(const Problem& problem, std::size_t count, const ProposalPast& past,
                                   Proposals how = Proposals::kAroundSurvivors, std::uint64_t seed = 1) {
  return propose_configurations(problem, how, seed, count, past).configurations;
}

std::size_t num_different(const std::vector<Configuration>& configurations) {
  return std::set<Configuration>(configurations.begin(), configurations.end()).size();
}

double distance(const Space& space, const Configuration& a, const Configuration& b) {
  const std::vector<double> at = space.point(a), from = space.point(b);
  double sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i) sum += std::abs(at[i] - from[i]);
  return sum;
}

TEST(Propose, TheVeryFirstSettingIsTheStandardOneAndAllDiffer) {
  const ToyProblem problem;
  const std::vector<Configuration> configurations = propose(problem, 50, {});
  EXPECT_EQ(configurations.size(), 50u);
  EXPECT_EQ(configurations.front(), problem.space().standard());
  EXPECT_EQ(num_different(configurations), 50u);
}

TEST(Propose, TheSequenceFillsEveryParameterEvenly) {
  const ToyProblem problem;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<std::vector<int>> bins(6, std::vector<int>(8));
    const std::vector<Configuration> configurations = propose(problem, 65, {}, Proposals::kAroundSurvivors, seed);
    for (std::size_t i = 1; i < configurations.size(); ++i) {
      const std::vector<double> point = problem.space().point(configurations[i]);
      for (std::size_t c = 0; c < 4; ++c) ++bins[c][static_cast<std::size_t>(point[c] * 8)];
    }
    // 64 points in 8 intervals; rounding to integers and the shift move some across a boundary.
    for (std::size_t c = 0; c < 4; ++c)
      for (const int count : bins[c]) EXPECT_NEAR(count, 8, c == 1 ? 5 : 2) << c;
  }
}

TEST(Propose, TheSequenceGoesOnInTheNextBatch) {
  const ToyProblem problem;
  const Batch first = propose_configurations(problem, Proposals::kAroundSurvivors, 1, 10, {});
  ProposalPast past{1, first.num_points, {}, {first.configurations.begin(), first.configurations.end()}};
  const std::vector<Configuration> second = propose(problem, 10, past), both = propose(problem, 20, {});
  EXPECT_EQ(second, std::vector<Configuration>(both.begin() + 10, both.end()));
}

TEST(Propose, AFunctionOfTheSeedAndThePast) {
  const ToyProblem problem;
  EXPECT_EQ(propose(problem, 20, {}), propose(problem, 20, {}));
  EXPECT_NE(propose(problem, 20, {}), propose(problem, 20, {}, Proposals::kAroundSurvivors, 2));
  const ProposalPast past{2, 30, {problem.space().standard()}, {}};
  EXPECT_EQ(propose(problem, 20, past), propose(problem, 20, past));
}

TEST(Propose, LaterBatchesAreCloserToTheirParents) {
  const ToyProblem problem;
  const Configuration parent = problem.space().standard();
  double before = 1e9;
  for (std::size_t batch : {1, 3, 6}) {
    const ProposalPast past{batch, 100, {parent}, {parent}};
    double sum = 0;
    for (const Configuration& configuration : propose(problem, 100, past))
      sum += distance(problem.space(), configuration, parent);
    EXPECT_LT(sum, 0.9 * before);
    before = sum;
  }
}

TEST(Propose, WhatIsTriedOrRefusedIsNotProposedAndASmallSpaceEnds) {
  class SmallProblem : public ToyProblem {
   public:
    const Space& space() const override { return space_; }
    void check(const Configuration& configuration) const override {
      FW_CHECK(configuration.at("a") != "3" || configuration.at("b") != "x", Usage, "3 and x contradict each other");
    }

   private:
    Space space_{{integer_parameter("a", 1, 3, 2), choice_parameter("b", {"x", "y"}, "x")}};
  };
  const SmallProblem problem;
  for (const Proposals how : {Proposals::kAroundSurvivors, Proposals::kRandom}) {
    const std::vector<Configuration> configurations = propose(problem, 20, {}, how);
    EXPECT_EQ(configurations.size(), 5u);
    EXPECT_EQ(num_different(configurations), 5u);
    const ProposalPast past{1, 9, {configurations[1]}, {configurations.begin(), configurations.end() - 1}};
    EXPECT_EQ(propose(problem, 20, past, how), std::vector<Configuration>{configurations.back()});
  }
}

TEST(Propose, StandardsThatContradictEachOtherAreTheUsersToFix) {
  class ContraryProblem : public ToyProblem {
   public:
    void check(const Configuration&) const override { FW_CHECK(false, Usage, "no"); }
  };
  EXPECT_THROW(propose(ContraryProblem(), 5, {}), Error);
}

TEST(Propose, FoldsAreShuffledByTheSeed) {
  std::vector<std::size_t> order = shuffled(12, 1);
  EXPECT_EQ(order, shuffled(12, 1));
  EXPECT_NE(order, shuffled(12, 2));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace fernwood::search
