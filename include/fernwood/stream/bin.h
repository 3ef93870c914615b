// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Bins of streaming histograms: Y. Ben-Haim and E. Tom-Tov, A Streaming Parallel Decision Tree Algorithm, JMLR 11
// (2010). Only + - * / and sqrt in double, which IEEE 754 rounds correctly: the same bits on every processor.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fernwood/core/arithmetic.h"

namespace fernwood::stream {

/// Values that are near each other, by their mean and number. Bins of a histogram have different values, in their
/// order.
struct Bin {
  double value = 0;         ///< |value| at most that of the largest float, or infinite; not -0, not NaN.
  std::uint64_t count = 0;  ///< >= 1

  FW_HD bool operator==(const Bin& other) const { return value == other.value && count == other.count; }
};

/// How far two neighbours are apart, > 0.
FW_HD double gap_between(const Bin& left, const Bin& right) { return right.value - left.value; }

/// Two neighbours as one bin at their mean, never outside of them however it rounds: so gaps beside it never shrink.
/// A finite bin goes to an infinite one. @param left, right  Not -inf and inf.
FW_HD Bin merged_bin(const Bin& left, const Bin& right) {
  const auto left_count = static_cast<double>(left.count), right_count = static_cast<double>(right.count);
  const double mean = (left.value * left_count + right.value * right_count) / (left_count + right_count);
  const double value = mean < left.value ? left.value : mean > right.value ? right.value : mean;
  return {value + 0.0, left.count + right.count};  // -0 + 0 is 0
}

/// Whether a gap is smaller than those beside it; of equal ones the leftmost is. Of two neighbours one at most is.
/// @param gaps  [num_gaps]
FW_HD bool is_least_gap(const double* gaps, std::size_t num_gaps, std::size_t i) {
  return (i == 0 || gaps[i] < gaps[i - 1]) && (i + 1 == num_gaps || gaps[i] <= gaps[i + 1]);
}

/// Procedure SUM between two bins: values in (left.value, b] if density falls linearly from bin to bin. It comes on top
/// of half of `left`. @param left, right  Finite. @param b  In [left.value, right.value].
FW_HD double trapezoid_sum(const Bin& left, const Bin& right, double b) {
  const double z = (b - left.value) / gap_between(left, right);
  const auto m_left = static_cast<double>(left.count), m_right = static_cast<double>(right.count);
  const double m_b = m_left + (m_right - m_left) * z;
  return (m_left + m_b) / 2 * z;
}

/// Procedure UNIFORM between two bins: the b whose trapezoid_sum() is `sum`. The root of a z^2 + b z + c = 0 is written
/// as -2 c / (b + sqrt(b^2 - 4 a c)), the same number without cancellation and for a = 0 too.
/// @param left, right  Finite. @param sum  >= 0, at most half of their counts.
FW_HD double trapezoid_place(const Bin& left, const Bin& right, double sum) {
  const auto m_left = static_cast<double>(left.count), m_right = static_cast<double>(right.count);
  const double z = 2 * sum / (m_left + std::sqrt(m_left * m_left + 2 * (m_right - m_left) * sum));
  const double b = left.value + gap_between(left, right) * z;
  return b < right.value ? b : right.value;
}

}  // namespace fernwood::stream
