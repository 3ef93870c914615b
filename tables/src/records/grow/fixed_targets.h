// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fernwood::records {

/// Represents numbers as whole ones: an origin plus a whole number times a unit, which is a power of two.
class FixedScale {
 public:
  FixedScale() = default;
  /// @param lowest, highest  Finite, in this order; `lowest` is the origin.
  /// @param bits  Size of the whole numbers; the unit is the smallest for which those of the range fit.
  FixedScale(double lowest, double highest, int bits);

  /// The nearest whole number. @param value  Finite.
  double number_of(double value) const;
  double value_of(double number) const;
  /// The mean of values; exact for equal values. @param sum  Of their whole numbers. @param weight  Above 0.
  double mean(std::int64_t sum, std::int64_t weight) const;
  double unit() const;
  bool operator==(const FixedScale&) const = default;

 private:
  double origin_ = 0;
  int exponent_ = 0;  ///< Values are scaled by 2^-exponent_, so that neither end exceeds 1 and no distance exceeds 2.
  int shift_ = 0;     ///< The unit is 2^-shift_ of the scaled values.
};

/// Targets as whole numbers, so that their sums over samples are exact and independent of the order: a target is the
/// lowest one plus its number times a unit. Numbers have B = min(52, 63 - bits of the weight of all records) bits, so
/// that a sum over all records fits into 63 bits, and the unit is the smallest power of two for which they do: rounding
/// changes a target by at most 2^-B of the distance from the lowest to the highest, 2^-32 with 2^31 - 1 records and
/// 2^-47 with 50,000.
class FixedTargets {
 public:
  /// @param targets  Finite, from 1 to 2^31 - 1 of them. @param weight  Of all, at most 2^32 - 1.
  FixedTargets(std::span<const double> targets, std::uint32_t weight);

  std::int64_t operator[](std::size_t record) const { return numbers_[record]; }
  /// The mean of samples as a target. @param sum  Of their numbers. @param weight  Number of samples, above 0.
  double mean(std::int64_t sum, std::int64_t weight) const;

 private:
  double lowest_, highest_;  ///< Of the targets.
  FixedScale scale_;
  std::vector<std::int64_t> numbers_;  ///< [record]
};

}  // namespace fernwood::records
