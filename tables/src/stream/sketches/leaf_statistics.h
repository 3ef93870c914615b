// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>

#include "records/grow/fixed_targets.h"
#include "records/grow/target_statistics.h"

namespace fernwood::stream {

/// Most records that a node can have seen: such numbers are exact in double.
inline constexpr std::uint64_t kMaxSeen = std::uint64_t{1} << 53;

inline constexpr std::int64_t kMaxNumber = std::int64_t{1} << 30;  ///< Largest magnitude of a target.

/// Targets of a stream as whole numbers up to kMaxNumber, so that sums over the records of a leaf fit into 64 bits.
class TargetScale {
 public:
  TargetScale() = default;
  /// For targets in a known range: rounded by less than 2^-30 of its width.
  static TargetScale of_range(double lowest, double highest);
  /// For targets that follow those in this range: from the lowest one, up to 1024 times its width, rounded by less than
  /// 2^-20 of its width. If all are equal, their magnitude replaces the width, or 1 if it is 0.
  static TargetScale after(double lowest, double highest);

  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  bool holds(double target) const { return target >= lowest_ && target <= highest_; }
  /// @param target  For which holds() is true.
  std::int64_t number_of(double target) const;
  /// See FixedScale::mean().
  double mean(const records::TargetSum& sum) const { return scale_.mean(sum.sum, sum.weight); }
  double unit() const { return scale_.unit(); }
  bool operator==(const TargetScale&) const = default;

 private:
  TargetScale(double lowest, double highest, const records::FixedScale& scale)
      : lowest_(lowest), highest_(highest), scale_(scale) {}

  double lowest_ = 0, highest_ = 0;
  records::FixedScale scale_;
};

/// Statistics of the records of a leaf, or of a bin in it, as a row of whole numbers that can be added: the number of
/// records of each class, or, for records with targets, the number of records and the sum of their targets' numbers,
/// with negative sums as two's complement.
struct LeafStatistics {
  bool of_targets = false;
  std::size_t num_classes = 0;

  /// Number of elements of a row.
  std::size_t size() const { return of_targets ? 2 : num_classes; }
  std::uint64_t num_records(std::span<const std::uint64_t> row) const;
  /// Whether a split can separate these records: they have several classes, or targets.
  bool may_vary(std::span<const std::uint64_t> row) const;
  /// Whether data of other processes and checkpoints is valid: no computation with it overflows.
  bool is_possible(std::span<const std::uint64_t> row) const;
  /// Whether some records can be a subset of others. Both must be possible.
  bool is_part(std::span<const std::uint64_t> part, std::span<const std::uint64_t> whole) const;
  /// Whether a split can leave some records on one side and the rest on the other: the rest is possible, too. Both
  /// arguments must be. (The row that a node has seen is not such a whole: add() may have halved it.)
  bool is_side(std::span<const std::uint64_t> part, std::span<const std::uint64_t> whole) const;
  /// Adds records to those that a node has seen. If so many targets were seen that sums might not fit, earlier ones
  /// count half.
  void add(std::span<const std::uint64_t> row, std::span<std::uint64_t> seen) const;
  /// Divides the records that a leaf has seen between the sides of a split, in proportion to the split's own records.
  /// @param left, all  Of the split's own records. @param shares  [2][size()], written.
  void share(std::span<const std::uint64_t> seen, std::span<const std::uint64_t> left,
             std::span<const std::uint64_t> all, std::uint64_t* shares) const;
};

/// Absolute value. @param number  As two's complement.
inline std::uint64_t magnitude(std::uint64_t number) { return number >> 63 == 0 ? number : ~number + 1; }

/// From a row of records with targets.
inline records::TargetSum sum_of(std::span<const std::uint64_t> row) {
  return {static_cast<std::int64_t>(row[1]), static_cast<std::int64_t>(row[0])};
}

}  // namespace fernwood::stream
