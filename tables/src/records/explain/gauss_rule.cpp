// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/explain/gauss_rule.h"

namespace fernwood::records {

namespace {

struct LegendreValue {
  double value, slope;
};

/// The Legendre polynomial of degree n at x, |x| < 1, by its three-term recurrence.
LegendreValue legendre(int n, double x) {
  double before = 1, value = x;
  for (int k = 2; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return {value, n * (x * value - before) / (x * x - 1)};
}

/// The root between two points at which the polynomial has different signs.
double find_root(int n, double low, double high) {
  const bool rises = legendre(n, high).value > 0;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    ((legendre(n, middle).value > 0) == rises ? high : low) = middle;
  }
}

}  // namespace

std::vector<GaussRule> gauss_rules(int most_points) {
  constexpr double kEnd = 1 - 1e-12;  // beyond every root
  std::vector<GaussRule> rules;
  std::vector<double> roots;  // of the previous degree; those of the next lie between them
  for (int n = 1; n <= most_points; ++n) {
    std::vector<double> places = {-kEnd};
    places.insert(places.end(), roots.begin(), roots.end());
    places.push_back(kEnd);
    roots.clear();
    GaussRule& rule = rules.emplace_back();
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const double root = find_root(n, places[place], places[place + 1]), slope = legendre(n, root).slope;
      roots.push_back(root);
      rule.points.push_back((1 + root) / 2);
      rule.weights.push_back(1 / ((1 - root * root) * slope * slope));
      sum += rule.weights.back();
    }
    for (double& weight : rule.weights) weight /= sum;
  }
  return rules;
}

}  // namespace fernwood::records
