// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fernwood::records {

/// Numbers as whole ones: an origin plus a whole number times a unit, which is a power of two.
class FixedScale {
 public:
  FixedScale() = default;
  /// @param lowest, highest  Finite, in this order; the lower one is the origin.
  /// @param bits  The unit is the smallest with which the whole numbers between them have no more.
  FixedScale(double lowest, double highest, int bits);

  /// The nearest whole number. @param value  Finite.
  double number_of(double value) const;
  double value_of(double number) const;
  /// The mean of values; that of equal ones is that one. @param sum  Of their numbers. @param weight  Above 0.
  double mean(std::int64_t sum, std::int64_t weight) const;
  double unit() const;
  bool operator==(const FixedScale&) const = default;

 private:
  double origin_ = 0;
  int exponent_ = 0;  ///< Values are scaled by 2^-exponent_, so that neither end is above 1 and no distance above 2.
  int shift_ = 0;     ///< The unit is 2^-shift_ of the scaled ones.
};

/// Targets as whole numbers, so that their sums over samples are exact and depend on no order: a target is the lowest
/// one plus its number times a unit. Numbers have B = min(52, 63 - bits of the number of records) bits, so that sums of
/// as many as there are records fit into 63 bits, and the unit is the power of two with which they do: a target is
/// rounded by no more than 2^-B of the distance from the lowest to the highest, 2^-32 with 2^31 - 1 records and 2^-47
/// with 50,000.
class FixedTargets {
 public:
  /// @param targets  Finite, at least one, at most 2^31 - 1.
  explicit FixedTargets(std::span<const double> targets);

  std::int64_t operator[](std::size_t record) const { return numbers_[record]; }
  /// The mean of samples as a target. @param sum  Of their numbers. @param weight  How many they are, above 0.
  double mean(std::int64_t sum, std::int64_t weight) const;

 private:
  double lowest_, highest_;  ///< Of the targets.
  FixedScale scale_;
  std::vector<std::int64_t> numbers_;  ///< [record]
};

}  // namespace fernwood::records
