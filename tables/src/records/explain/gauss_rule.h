// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <vector>

namespace fernwood::records {

/// A rule that integrates polynomials of degree up to 2 n - 1 over [0, 1] from n points (Gauss).
struct GaussRule {
  std::vector<double> points;   ///< Ascending, between 0 and 1.
  std::vector<double> weights;  ///< Positive; their sum is 1.
};

/// The rules of 1 ... most_points points; [n - 1] has n. Computed with + - * / only, for equal results on all machines.
std::vector<GaussRule> gauss_rules(int most_points);

}  // namespace fernwood::records
