// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"

namespace fernwood::stream {

/// @throws Error(kData) if a value is NaN.
inline void check_known(std::span<const float> values) {
  // Without a branch for each value: several are compared at once.
  int unknown = 0;
  for (const float value : values) unknown |= is_nan(value) ? 1 : 0;
  FW_CHECK(unknown == 0, Data,
           "value " << std::ranges::find_if(values, [](float value) { return is_nan(value); }) - values.begin()
                    << " of " << values.size()
                    << " is unknown (NaN), which no sketch can order; count unknown values apart");
}

/// Most bits of the fraction that a key has.
constexpr int kMostFractionBits = 8;

/// The bucket of a value: sign, exponent and the first fraction_bits of its fraction, as a number that grows with the
/// value. Buckets are equally wide from a power of two to the next, and twice as wide there: log-linear.
/// @param value  Not NaN. -0 is in the bucket of 0. @param fraction_bits  [0, 8]. @return  Below 2^(9 + fraction_bits).
FW_HD std::uint32_t key_of(float value, int fraction_bits) { return ordered_bits(value) >> (23 - fraction_bits); }

/// The smallest value of a key's bucket. @param key  Of a value.
FW_HD float lowest_value(std::uint32_t key, int fraction_bits) {
  const float value = float_of_ordered(key << (23 - fraction_bits));
  return is_nan(value) ? float_of_ordered(0x007fffffu) : value;  // behind -inf there are no values
}
/// The largest value of a key's bucket. @param key  Of a value.
FW_HD float highest_value(std::uint32_t key, int fraction_bits) {
  const int shift = 23 - fraction_bits;
  const float value = float_of_ordered((key << shift) | ((1u << shift) - 1));
  if (value == 0) return float_of_ordered(0x7ffffffeu);          // -0 is in the bucket of 0, not below it
  return is_nan(value) ? float_of_ordered(0xff800000u) : value;  // nor are there values behind inf
}

/// What a rank surely is.
struct RankBounds {
  std::uint64_t least = 0, most = 0;
};

/// Counts of log-linear buckets. A sketch whose merges are sums of whole numbers: exact, and the same in any order. Its
/// errors are bounded whatever the input and its order are: a rank is wrong by less than the count of the bucket that
/// it falls in, and at the end of a bucket not at all; a quantile is within 2^-fraction_bits of the true one's distance
/// from the centre, or 2^-(126 + fraction_bits) if that is more. Arithmetic is + - * / in double: the same bits
/// everywhere.
class LogLinearSketch {
 public:
  /// A bucket in which values are.
  struct Bucket {
    std::uint32_t key = 0;
    std::uint64_t count = 0;
    bool operator==(const Bucket&) const = default;
  };

  /// @param fraction_bits  [0, 8]; memory grows as 2^fraction_bits.
  /// @param centre  Where buckets are narrowest, finite: keys are those of value - centre. 0 suits most attributes; one
  ///                that varies little far from 0 wants a typical value, as the median of what comes first (not of
  ///                values in order: where most values are far from the centre, buckets are wide). Values
  ///                farther from it than the largest float count as infinite.
  /// @throws Error(kUsage) for others.
  explicit LogLinearSketch(int fraction_bits = 4, float centre = 0);

  /// @param value  May be infinite. @throws Error(kData) if it is NaN.
  void update(float value, std::uint64_t count = 1);
  void update(std::span<const float> values);
  /// Counts a bucket of another sketch with the same fraction_bits() and centre().
  void add_bucket(const Bucket& bucket);

  /// @throws Error(kUsage) unless they have this one's fraction_bits() and centre(); nothing is counted then.
  void merge(std::span<const LogLinearSketch> others);
  void merge(const LogLinearSketch& other) { merge({&other, 1}); }

  /// How many values are <= b. @param b  Not NaN.
  RankBounds rank_bounds(float b) const;
  /// About how many values are <= b: those of a bucket are taken to lie evenly in it. @param b  Not NaN.
  double sum(double b) const;
  /// The place below which a share of the values lies. @param share  [0, 1]. @throws Error(kData) if nothing was
  /// counted.
  double quantile(double share) const;
  /// `parts` - 1 places, ascending, that part the values into as many each. Empty if nothing was counted.
  std::vector<double> uniform(int parts) const;

  std::uint64_t total() const { return total_; }
  int fraction_bits() const { return fraction_bits_; }
  float centre() const { return centre_; }
  /// Ascending. The value v = centre() + highest_value(key) is where ranks are exact.
  std::vector<Bucket> buckets() const;
  std::size_t size_bytes() const;

 private:
  std::uint32_t key_at(float value) const { return key_of(value - centre_, fraction_bits_); }
  void add_page(std::uint32_t page);
  std::uint64_t count_at(std::uint32_t key) const;
  std::uint64_t count_before(std::uint32_t key) const;
  double low_end(std::uint32_t key) const;
  double high_end(std::uint32_t key) const;
  std::vector<double> places(std::span<const double> ranks) const;

  int fraction_bits_;
  float centre_;
  std::uint64_t total_ = 0;
  // Keys in use come in a few runs, for each sign and for zero: so counts are kept in pages of 64 keys, in order of
  // first use. That of key k is counts_[k + page_starts_[k / 64]].
  std::vector<std::int32_t> page_starts_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace fernwood::stream
