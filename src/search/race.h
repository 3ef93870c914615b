// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fernwood/search/search.h"

namespace fernwood::search {

/// More folds than any search has: no race tests before them.
inline constexpr int kMostFoldsBeforeTest = 1000;

/// The test that decides who falls.
struct RaceRules {
  RaceTest test = RaceTest::kNadeauBengio;
  double level = 0.05;  ///< For a variant as good as the best to be eliminated, in all interim tests together.
  std::size_t first_interim_test = 2;  ///< Folds seen before the first one.
  std::size_t num_folds = 0;           ///< Of the whole race: an interim test after each from the first on.
  double test_share = 0;               ///< Size of a unit's test over that of its training.

  /// What an interim test's p must stay below. The leader is the luckiest of all, so that as many comparisons are made
  /// at once as it has rivals: the level is shared by them and by all interim tests (Bonferroni). The thesis' test
  /// shares nothing.
  double alpha_of_interim_test(std::size_t num_trials) const;
};

/// A living variant and what it lost on the folds that all have seen.
struct Contestant {
  std::size_t trial, variant;
  std::span<const double> losses;  ///< [folds], the same folds for all

  double mean() const;
};

/// What a test finds.
struct InterimTest {
  std::size_t leader = 0;  ///< The contestant with the least mean loss, the first of several.
  /// [contestants], the probability of a mean as far above the leader's, or farther, for one that is no worse.
  std::vector<double> p;
  double level = 0;  ///< Below it a contestant falls.
};

/// Compares all with the leader by Student's one-sided t-test over paired folds. Three folds have two degrees of
/// freedom and tell little about a variance, therefore all trials lend theirs, as in an analysis of variance by trial
/// and fold; a contestant whose differences vary more than that is judged by its own variance. p is 1 unless the mean
/// is above the leader's, and 0 when it is and nothing varies.
/// @param contestants  At least one; variants of a trial stand next to each other. At least two folds.
InterimTest run_interim_test(const RaceRules& rules, std::span<const Contestant> contestants);

/// The variant of least loss of each trial, best first.
std::vector<Contestant> best_of_each_trial(std::span<const Contestant> contestants);

/// A mean and where the true one lies.
struct Interval {
  double mean, low, high;
};
/// Of losses of overlapping trainings, two-sided, by the variance of Nadeau and Bengio, within [0, 1], which is also
/// the answer of a single fold.
Interval mean_interval(std::span<const double> losses, double test_share, double confidence);

}  // namespace fernwood::search
