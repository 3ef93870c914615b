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
  // Without a branch for each value, so that several are compared at once.
  int unknown = 0;
  for (const float value : values) unknown |= is_nan(value) ? 1 : 0;
  FW_CHECK(unknown == 0, Data,
           "value " << std::ranges::find_if(values, [](float value) { return is_nan(value); }) - values.begin()
                    << " of " << values.size()
                    << " is unknown (NaN), which no sketch can order; count unknown values apart");
}

/// Most fraction bits of a key.
constexpr int kMaxFractionBits = 8;

/// The bucket of a value: sign, exponent and the first fraction_bits of its fraction, as a number that increases with
/// the value. Buckets have equal widths between two powers of two, and twice the width above: log-linear.
/// @param value  Not NaN. -0 is in the bucket of 0. @param fraction_bits  [0, 8]. @return  Below 2^(9 + fraction_bits).
FW_HD std::uint32_t key_of(float value, int fraction_bits) { return ordered_bits(value) >> (23 - fraction_bits); }

/// The smallest value of a key's bucket. @param key  Of a value.
FW_HD float lowest_value(std::uint32_t key, int fraction_bits) {
  const float value = float_of_ordered(key << (23 - fraction_bits));
  return is_nan(value) ? float_of_ordered(0x007fffffu) : value;  // no values are below -inf
}
/// The largest value of a key's bucket. @param key  Of a value.
FW_HD float highest_value(std::uint32_t key, int fraction_bits) {
  const int shift = 23 - fraction_bits;
  const float value = float_of_ordered((key << shift) | ((1u << shift) - 1));
  if (value == 0) return float_of_ordered(0x7ffffffeu);          // -0 is in the bucket of 0, not below it
  return is_nan(value) ? float_of_ordered(0xff800000u) : value;  // no values are above inf
}

/// Bounds of a rank.
struct RankBounds {
  std::uint64_t least = 0, most = 0;
};

/// Counts of log-linear buckets: a sketch whose merges are sums of whole numbers, and so are exact and independent of
/// their order. Its errors are bounded for every input and order: a rank is wrong by less than the count of the bucket
/// that it falls into, and exact at the end of a bucket; a quantile is within 2^-fraction_bits of the true one's
/// distance from the centre, or 2^-(126 + fraction_bits) if that is more. Arithmetic is + - * / in double: the same
/// bits on every machine.
class LogLinearSketch {
 public:
  /// A bucket that contains values.
  struct Bucket {
    std::uint32_t key = 0;
    std::uint64_t count = 0;
    bool operator==(const Bucket&) const = default;
  };

  /// @param fraction_bits  [0, 8]; memory grows as 2^fraction_bits.
  /// @param centre  The value with the narrowest buckets, finite: keys are those of value - centre. 0 suits most
  /// attributes; one that varies little far from 0 needs a typical value, such as the median of the first values (not
  /// if these are sorted: where most values are far from the centre, buckets are wide). Values farther from it than the
  /// largest float count as infinite.
  /// @throws Error(kUsage) for other arguments.
  explicit LogLinearSketch(int fraction_bits = 4, float centre = 0);

  /// @param value  May be infinite. @throws Error(kData) if it is NaN.
  void update(float value, std::uint64_t count = 1);
  void update(std::span<const float> values);
  /// Adds a bucket of another sketch with the same fraction_bits() and centre().
  void add_bucket(const Bucket& bucket);

  /// @throws Error(kUsage) unless all have this sketch's fraction_bits() and centre(); then nothing is added.
  void merge(std::span<const LogLinearSketch> others);
  void merge(const LogLinearSketch& other) { merge({&other, 1}); }

  /// Number of values <= b. @param b  Not NaN.
  RankBounds rank_bounds(float b) const;
  /// Approximate number of values <= b, assuming an even distribution in each bucket. @param b  Not NaN.
  double sum(double b) const;
  /// The value below which a share of the values lies. @param share  [0, 1]. @throws Error(kData) if none were counted.
  double quantile(double share) const;
  /// `parts` - 1 thresholds, ascending, that divide the values into parts of equal size. Empty if the sketch is empty.
  std::vector<double> uniform(int parts) const;

  std::uint64_t total() const { return total_; }
  int fraction_bits() const { return fraction_bits_; }
  float centre() const { return centre_; }
  /// Ascending. Ranks are exact at v = centre() + highest_value(key).
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
  // The keys in use form a few runs, for each sign and for zero, so counts are stored in pages of 64 keys, in order of
  // first use. The count of key k is counts_[k + page_starts_[k / 64]].
  std::vector<std::int32_t> page_starts_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace fernwood::stream
