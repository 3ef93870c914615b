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

/// Variance of the mean of n results whose trainings overlap: (1/n + test/training) s^2 in place of s^2 / n, which
/// takes results as independent and so finds too much (Nadeau and Bengio, Machine Learning 52, 2003).
double variance_of_mean(double variance, std::size_t num, double test_share) {
  return (1.0 / static_cast<double>(num) + test_share) * variance;
}

}  // namespace

double RaceRules::level_of_a_look() const {
  if (test == RaceTest::kStudent || num_blocks <= first_look) return level;
  return level / static_cast<double>(num_blocks - first_look + 1);
}

std::size_t find_leader(std::span<const Contestant> contestants) {
  const auto leader = std::ranges::min_element(contestants, {},
                                               [](const Contestant& contestant) { return mean_of(contestant.losses); });
  return static_cast<std::size_t>(leader - contestants.begin());
}

double p_of_being_no_worse(const RaceRules& rules, std::span<const double> losses, std::span<const double> leader) {
  std::vector<double> differences(losses.size());
  std::ranges::transform(losses, leader, differences.begin(), std::minus());
  const double mean = mean_of(differences);
  if (!(mean > 0)) return 1;
  const double test_share = rules.test == RaceTest::kStudent ? 0 : rules.test_share;
  const double variance = variance_of_mean(variance_of(differences, mean), differences.size(), test_share);
  if (variance == 0) return 0;
  const boost::math::students_t distribution(static_cast<double>(differences.size() - 1));
  return boost::math::cdf(boost::math::complement(distribution, mean / std::sqrt(variance)));
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
