// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fernwood/search/search.h"

namespace fernwood::search {

/// More folds than any search has: with this value no race has a test.
inline constexpr int kMaxFoldsBeforeTest = 1000;

/// The elimination test.
struct RaceRules {
  RaceTest test = RaceTest::kNadeauBengio;
  double level = 0.05;  ///< Probability that a variant as good as the best is eliminated, over all interim tests.
  std::size_t first_interim_test = 2;  ///< Folds evaluated before the first test.
  std::size_t num_folds = 0;           ///< Of the whole race; an interim test follows each fold from the first test on.
  double test_share = 0;               ///< Size of an evaluation's test data, a fold, over that of its training data.

  /// Threshold for p in an interim test. The leader is the luckiest of all, so that it is compared with all rivals at
  /// once: the level is divided by their number and by the number of interim tests (Bonferroni). The thesis' test does
  /// not divide it.
  double alpha_of_interim_test(std::size_t num_trials) const;
};

/// A variant in the race and its losses on the folds evaluated for all.
struct Contestant {
  std::size_t trial, variant;
  std::span<const double> losses;  ///< [folds] The same folds for all.

  double mean() const;
};

/// Result of a test.
struct InterimTest {
  std::size_t leader = 0;  ///< The contestant with the least mean loss, the first of equal ones.
  /// [contestants] Probability of a mean at least this far above the leader's for a contestant that is not worse.
  std::vector<double> p;
  double level = 0;  ///< Contestants with a smaller p are eliminated.
};

/// Compares all with the leader by Student's one-sided t-test over paired folds. Three folds have two degrees of
/// freedom and a poor estimate of the variance, so it is pooled over all trials, as in an analysis of variance by trial
/// and fold; for a contestant whose differences have a larger variance, that one is used. p is 1 unless the mean is
/// above the leader's, and 0 if it is and the variance is 0.
/// @param contestants  At least one; variants of a trial are adjacent. At least two folds.
InterimTest run_interim_test(const RaceRules& rules, std::span<const Contestant> contestants);

/// The variant of least loss of each trial, best first.
std::vector<Contestant> best_of_each_trial(std::span<const Contestant> contestants);

/// A mean and its confidence interval.
struct Interval {
  double mean, low, high;
};
/// For losses of overlapping trainings, two-sided, by the variance of Nadeau and Bengio, within [0, 1], which is also
/// the result for a single fold.
Interval mean_interval(std::span<const double> losses, double test_share, double confidence);

}  // namespace fernwood::search
