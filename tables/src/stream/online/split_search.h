// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>
#include <vector>

#include "stream/online/online_shape.h"

namespace fernwood::stream {

/// What a leaf has counted. A cell is a class, or the weight of records and the sum of their targets.
struct LeafCounts {
  std::span<const std::int64_t> own;   ///< [cell] Of all records.
  std::span<const float> edges;        ///< [subspace][bins]
  std::span<const std::int64_t> bins;  ///< [subspace][bins + 1][cell] Unknown values in the last bin.
};

/// A test of an attribute.
struct OnlineSplit {
  double gain = 0;        ///< Decrease of impurity, times the weight of the records.
  double next = 0;        ///< The gain of the next best attribute.
  std::size_t place = 0;  ///< Of the attribute in the subspace.
  float threshold = 0;
  bool nan_left = false;
  std::vector<std::int64_t> left;  ///< [cell] Records of the left side; empty: no test gains anything.
};

/// The best test of a leaf.
OnlineSplit find_split(const OnlineShape& shape, const LeafCounts& counts);

}  // namespace fernwood::stream
