// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/fixed_targets.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fernwood::records {

namespace {

constexpr int kMostTargetBits = 52;  ///< Whole numbers of so many bits and halves beside them are doubles.

}  // namespace

FixedTargets::FixedTargets(std::span<const double> targets)
    : lowest_(std::ranges::min(targets)), highest_(std::ranges::max(targets)) {
  std::frexp(std::max(std::fabs(lowest_), std::fabs(highest_)), &exponent_);
  const double base = std::ldexp(lowest_, -exponent_);
  int range_exponent = 0;
  std::frexp(std::ldexp(highest_, -exponent_) - base, &range_exponent);
  shift_ = std::min(kMostTargetBits, 63 - static_cast<int>(std::bit_width(targets.size()))) - range_exponent;
  numbers_.reserve(targets.size());
  for (const double target : targets)
    numbers_.push_back(static_cast<std::int64_t>(std::ldexp(std::ldexp(target, -exponent_) - base, shift_) + 0.5));
}

double FixedTargets::mean(std::int64_t sum, std::int64_t weight) const {
  // The whole part apart, so that the mean of equal numbers is that number.
  const double number =
      static_cast<double>(sum / weight) + static_cast<double>(sum % weight) / static_cast<double>(weight);
  const double scaled = std::ldexp(lowest_, -exponent_) + std::ldexp(number, -shift_);
  return std::clamp(std::ldexp(scaled, exponent_), lowest_, highest_);
}

}  // namespace fernwood::records
