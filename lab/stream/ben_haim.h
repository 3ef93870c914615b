// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Y. Ben-Haim and E. Tom-Tov, A Streaming Parallel Decision Tree Algorithm, JMLR 11 (2010): its histograms. Computed
// with only + - * / and sqrt in double, which IEEE 754 rounds correctly: bit-identical on all processors.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fernwood::lab {

/// Adjacent values, represented by their mean and number. Bins of a histogram have different values, in ascending
/// order.
struct Bin {
  double value = 0;         ///< |value| at most that of the largest float, or infinite; not -0, not NaN.
  std::uint64_t count = 0;  ///< >= 1

  bool operator==(const Bin& other) const { return value == other.value && count == other.count; }
};

/// Distance of two adjacent bins, > 0.
inline double gap_between(const Bin& left, const Bin& right) { return right.value - left.value; }

/// Two adjacent bins merged into one at their mean, which lies between them even after rounding, so that gaps beside it
/// never shrink. A finite bin merged with an infinite one becomes infinite. @param left, right  Not -inf and inf.
inline Bin merged_bin(const Bin& left, const Bin& right) {
  const auto left_count = static_cast<double>(left.count), right_count = static_cast<double>(right.count);
  const double mean = (left.value * left_count + right.value * right_count) / (left_count + right_count);
  const double value = mean < left.value ? left.value : mean > right.value ? right.value : mean;
  return {value + 0.0, left.count + right.count};  // -0 + 0 is 0
}

/// Whether a gap is smaller than those beside it, where the left one of equal gaps counts as smaller. Of two adjacent
/// gaps at most one is.
/// @param gaps  [num_gaps]
inline bool is_least_gap(const double* gaps, std::size_t num_gaps, std::size_t i) {
  return (i == 0 || gaps[i] < gaps[i - 1]) && (i + 1 == num_gaps || gaps[i] <= gaps[i + 1]);
}

/// Procedure SUM between two bins: the number of values in (left.value, b] if density is linear between the bins. It is
/// added to half of `left`. @param left, right  Finite. @param b  In [left.value, right.value].
inline double trapezoid_sum(const Bin& left, const Bin& right, double b) {
  const double z = (b - left.value) / gap_between(left, right);
  const auto m_left = static_cast<double>(left.count), m_right = static_cast<double>(right.count);
  const double m_b = m_left + (m_right - m_left) * z;
  return (m_left + m_b) / 2 * z;
}

/// Procedure UNIFORM between two bins: the b whose trapezoid_sum() is `sum`. The root of a z^2 + b z + c = 0 is
/// computed as -2 c / (b + sqrt(b^2 - 4 a c)), which avoids cancellation and is also valid for a = 0.
/// @param left, right  Finite. @param sum  >= 0, at most half of their counts.
inline double trapezoid_place(const Bin& left, const Bin& right, double sum) {
  const auto m_left = static_cast<double>(left.count), m_right = static_cast<double>(right.count);
  const double z = 2 * sum / (m_left + std::sqrt(m_left * m_left + 2 * (m_right - m_left) * sum));
  const double b = left.value + gap_between(left, right) * z;
  return b < right.value ? b : right.value;
}

/// Procedure MERGE of Ben-Haim and Tom-Tov (JMLR 2010, algorithm 2) for any number of histograms: the two nearest bins,
/// the leftmost of equals, are merged until `max_bins` are left. The result is bit-identical to that of the greedy
/// procedure, but takes few rounds, each of which merges every gap that is smaller than both beside it: gaps never
/// shrink when bins merge, so that the order of these merges does not matter, and the greedy procedure's merges are
/// those of the smallest gaps.
/// @param bins  Those of all histograms, in any order, which does not affect the result; equal values are added up
///              first.
/// @param max_bins  >= 2.
/// @return  At most max_bins, ascending.
/// Time: a sort, and a round for each step on the longest chain of merges, 15 to 35 for common data; as many rounds as
/// bins if each gap is larger than the one before.
std::vector<Bin> merge_bins(std::vector<Bin> bins, int max_bins);

/// The streaming histogram of Ben-Haim and Tom-Tov (JMLR 2010): at most max_bins bins, of which the nearest two are
/// merged when a new value needs a bin. A Sketch. It has no error bound: the first values determine where bins are, so
/// that sorted input and long tails are represented badly (measured by `fernwood-lab sketches`); LogLinearSketch has
/// one. The same values in the same order give the same bits on every processor.
class BenHaimHistogram {
 public:
  /// @param max_bins  B of the paper. @throws Error(kUsage) unless in [2, 1048576].
  explicit BenHaimHistogram(int max_bins);
  /// A histogram with the bins() of another. @throws Error(kData) for bins that no histogram of max_bins can have.
  BenHaimHistogram(int max_bins, std::vector<Bin> bins);

  /// Procedure UPDATE: counts a value `count` times at once. Of equal gaps the leftmost is merged.
  /// @param value  May be infinite. @throws Error(kData) if it is NaN.
  void update(float value, std::uint64_t count = 1);
  /// Counts the values in sequence.
  void update(std::span<const float> values);

  /// Procedure MERGE with any number of histograms at once, in any order; max_bins() of this one remains.
  void merge(std::span<const BenHaimHistogram> others);
  void merge(const BenHaimHistogram& other) { merge({&other, 1}); }

  /// Procedure SUM: approximate number of values <= b: 0 below the first bin, total() from the last bin on. Infinite
  /// bins are point masses: no values are assumed between them and finite ones. @param b  Not NaN.
  double sum(double b) const { return sums({&b, 1}).front(); }
  /// Procedure SUM for several places in one pass over the bins. @param places  Ascending.
  std::vector<double> sums(std::span<const double> places) const;
  /// Procedure UNIFORM: `parts` - 1 places, ascending, that divide the values into equal parts. At the ends, where the
  /// procedure is undefined, they are the first and the last bin. Empty if nothing was counted.
  std::vector<double> uniform(int parts) const;

  std::uint64_t total() const { return total_; }
  int max_bins() const { return max_bins_; }
  /// Ascending.
  std::span<const Bin> bins() const { return bins_; }
  std::size_t size_bytes() const { return sizeof(*this) + bins_.capacity() * sizeof(Bin); }

 private:
  void add(float value, std::uint64_t count);

  int max_bins_;
  std::vector<Bin> bins_;
  std::uint64_t total_ = 0;
};

}  // namespace fernwood::lab
