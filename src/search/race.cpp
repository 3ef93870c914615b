// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/race.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace fernwood::search {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// @param values  At least two.
double variance_of(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

/// Variance of the mean of n results whose trainings overlap: (1/n + test/training) s^2 instead of s^2 / n, which
/// assumes independent results and so reports too many differences (Nadeau and Bengio, Machine Learning 52, 2003).
double variance_of_mean(double variance, std::size_t num, double test_share) {
  return (1.0 / static_cast<double>(num) + test_share) * variance;
}

struct Spread {
  double variance, degrees_of_freedom;
};

/// Variance of the difference of two contestants on a fold, from losses minus the means of contestant and fold.
Spread pooled_spread(std::span<const Contestant> contestants) {
  const std::size_t num_folds = contestants.front().losses.size();
  std::vector<double> fold_means(num_folds);
  for (const Contestant& contestant : contestants)
    for (std::size_t b = 0; b < num_folds; ++b)
      fold_means[b] += contestant.losses[b] / static_cast<double>(contestants.size());
  const double mean = mean_of(fold_means);
  double sum = 0;
  for (const Contestant& contestant : contestants) {
    const double own_mean = contestant.mean();
    for (std::size_t b = 0; b < num_folds; ++b) {
      const double rest = contestant.losses[b] - own_mean - fold_means[b] + mean;
      sum += rest * rest;
    }
  }
  const auto degrees = static_cast<double>((contestants.size() - 1) * (num_folds - 1));
  return {2 * sum / degrees, degrees};
}

/// @param pooled  Spread over all trials; null: only the variance of these differences is used.
double p_of_being_no_worse(std::span<const double> losses, std::span<const double> leader, double test_share,
                           const Spread* pooled) {
  std::vector<double> differences(losses.size());
  std::ranges::transform(losses, leader, differences.begin(), std::minus());
  const double mean = mean_of(differences);
  if (!(mean > 0)) return 1;
  Spread spread = {variance_of(differences, mean), static_cast<double>(differences.size() - 1)};
  if (pooled != nullptr) spread = {std::max(spread.variance, pooled->variance), pooled->degrees_of_freedom};
  if (spread.variance == 0) return 0;
  const double error = std::sqrt(variance_of_mean(spread.variance, differences.size(), test_share));
  const boost::math::students_t distribution(spread.degrees_of_freedom);
  return boost::math::cdf(boost::math::complement(distribution, mean / error));
}

}  // namespace

double Contestant::mean() const { return mean_of(losses); }

double RaceRules::alpha_of_interim_test(std::size_t num_trials) const {
  if (test == RaceTest::kStudent) return level;
  const std::size_t num_interim_tests = num_folds > first_interim_test ? num_folds - first_interim_test + 1 : 1;
  const std::size_t num_rivals = std::max<std::size_t>(num_trials, 2) - 1;
  return level / static_cast<double>(num_interim_tests * num_rivals);
}

InterimTest run_interim_test(const RaceRules& rules, std::span<const Contestant> contestants) {
  const std::vector<Contestant> trials = best_of_each_trial(contestants);
  const bool plain = rules.test == RaceTest::kStudent;
  InterimTest test;
  test.leader =
      static_cast<std::size_t>(std::ranges::min_element(contestants, {}, &Contestant::mean) - contestants.begin());
  test.level = rules.alpha_of_interim_test(trials.size());
  Spread pooled;
  const bool pools = !plain && trials.size() > 1;
  if (pools) pooled = pooled_spread(trials);
  for (const Contestant& contestant : contestants)
    test.p.push_back(p_of_being_no_worse(contestant.losses, contestants[test.leader].losses,
                                         plain ? 0 : rules.test_share, pools ? &pooled : nullptr));
  return test;
}

std::vector<Contestant> best_of_each_trial(std::span<const Contestant> contestants) {
  std::vector<Contestant> best;
  for (const Contestant& contestant : contestants) {
    if (best.empty() || best.back().trial != contestant.trial)
      best.push_back(contestant);
    else if (contestant.mean() < best.back().mean())
      best.back() = contestant;
  }
  std::ranges::stable_sort(best, {}, &Contestant::mean);
  return best;
}

Interval mean_interval(std::span<const double> losses, double test_share, double confidence) {
  const double mean = mean_of(losses);
  if (losses.size() < 2) return {mean, 0, 1};
  const double variance = variance_of_mean(variance_of(losses, mean), losses.size(), test_share);
  const boost::math::students_t distribution(static_cast<double>(losses.size() - 1));
  const double reach = boost::math::quantile(distribution, 0.5 + 0.5 * confidence) * std::sqrt(variance);
  return {mean, std::max(0.0, mean - reach), std::min(1.0, mean + reach)};
}

}  // namespace fernwood::search
