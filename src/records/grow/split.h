// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"

namespace fernwood::records {

/// A test of one attribute and how pure it leaves the two sides.
struct Split {
  double purity = -__builtin_huge_val();
  std::uint32_t rank = 0;  ///< Values up to this one, in the order of the attribute's different values, go left.
  float threshold = 0;
  std::uint16_t attribute = 0;
  bool unknown_left = false;
  bool constant = false;  ///< All samples have the same value: there is no test.

  FW_HD bool found() const { return purity > -__builtin_huge_val(); }
  /// Whether this one is to be taken rather than the other, whichever was found first.
  FW_HD bool beats(const Split& other) const {
    if (purity != other.purity) return purity > other.purity;
    if (attribute != other.attribute) return attribute < other.attribute;
    if (threshold != other.threshold) return threshold < other.threshold;
    return unknown_left < other.unknown_left;
  }
};

/// A place between two values, such that low <= threshold < high whatever the rounding: midway, if that is a number.
FW_HD float threshold_between(float low, float high) {
  const float middle = low / 2 + high / 2;
  return low <= middle && middle < high ? middle : low;
}

}  // namespace fernwood::records
