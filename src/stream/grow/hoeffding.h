// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cmath>

#include "fernwood/core/arithmetic.h"

namespace fernwood::stream {

/// Hoeffding's bound: with probability 1 - failure a mean of n independent values in a range of width `range` is at
/// most this far from what it is expected to be.
/// @param n  > 0. @param failure  (0, 1).
inline double hoeffding_bound(double range, double failure, double n) {
  constexpr double kLn2 = 0.6931471805599453;
  return range * std::sqrt(exact_log2(1 / failure) * kLn2 / (2 * n));
}

/// What the k-th of any number of tests may fail with, so that all together fail with at most `failure`:
/// 1 / (1 * 2) + 1 / (2 * 3) + ... = 1. @param k  From 1.
inline double failure_of_test(double failure, int k) {
  return failure / (static_cast<double>(k) * (static_cast<double>(k) + 1));
}

}  // namespace fernwood::stream
