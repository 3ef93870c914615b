// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace fernwood {

/// The median. For an even number of values, the higher of the two middle ones, so that the result is one of the
/// values; NaN for no values.
/// @param values  Without NaN.
inline double median_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace fernwood
