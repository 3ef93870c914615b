// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/fixed_targets.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fernwood::records {

namespace {

constexpr int kMaxTargetBits = 52;  ///< Whole numbers of this size and halves between them are exact in double.

}  // namespace

FixedScale::FixedScale(double lowest, double highest, int bits) : origin_(lowest) {
  std::frexp(std::max(std::fabs(lowest), std::fabs(highest)), &exponent_);
  int range_exponent = 0;
  std::frexp(std::ldexp(highest, -exponent_) - std::ldexp(lowest, -exponent_), &range_exponent);
  shift_ = bits - range_exponent;
}

double FixedScale::number_of(double value) const {
  return std::floor(std::ldexp(std::ldexp(value, -exponent_) - std::ldexp(origin_, -exponent_), shift_) + 0.5);
}

double FixedScale::value_of(double number) const {
  return std::ldexp(std::ldexp(origin_, -exponent_) + std::ldexp(number, -shift_), exponent_);
}

double FixedScale::mean(std::int64_t sum, std::int64_t weight) const {
  // The whole part is separate, so that the mean of equal numbers is that number.
  const std::int64_t whole = sum / weight;
  return value_of(static_cast<double>(whole) + static_cast<double>(sum % weight) / static_cast<double>(weight));
}

double FixedScale::unit() const { return std::ldexp(1.0, exponent_ - shift_); }

FixedTargets::FixedTargets(std::span<const double> targets, std::uint32_t weight)
    : lowest_(std::ranges::min(targets)),
      highest_(std::ranges::max(targets)),
      scale_(lowest_, highest_, std::min(kMaxTargetBits, 63 - static_cast<int>(std::bit_width(weight)))) {
  numbers_.reserve(targets.size());
  for (const double target : targets) numbers_.push_back(static_cast<std::int64_t>(scale_.number_of(target)));
}

double FixedTargets::mean(std::int64_t sum, std::int64_t weight) const {
  return std::clamp(scale_.mean(sum, weight), lowest_, highest_);
}

}  // namespace fernwood::records
