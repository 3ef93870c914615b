// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Round numbers to write along the axis of a chart.

#include <algorithm>
#include <cmath>

namespace fernwood::evaluate {

/// 1, 2 or 5 times a power of ten, such that at most five steps reach over `range`, > 0.
inline double tick_step(double range) {
  constexpr double kMostTicks = 5;
  const double least = range / kMostTicks, power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// Digits after the point that tell the ticks of such a step apart.
inline int digits_of(double step) { return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9))); }

}  // namespace fernwood::evaluate
