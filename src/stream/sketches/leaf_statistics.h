// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>

#include "records/grow/fixed_targets.h"
#include "records/grow/target_statistics.h"

namespace fernwood::stream {

/// Records of a class that a node can have seen: such numbers are exact as double.
inline constexpr std::uint64_t kMostSeen = std::uint64_t{1} << 53;

inline constexpr std::int64_t kMostNumber = std::int64_t{1} << 30;  ///< Of a target, negative ones likewise.

/// Targets of a stream as whole numbers up to kMostNumber, so that sums over what a leaf counts fit into 64 bits.
class TargetScale {
 public:
  TargetScale() = default;
  /// For targets in a range that is known: they are rounded by less than 2^-30 of it.
  static TargetScale of_range(double lowest, double highest);
  /// For those that follow targets in this range: up to 1024 times its width from the lowest one, rounded by less than
  /// 2^-20 of it. Where all are equal, their magnitude is taken for the width, or 1.
  static TargetScale after(double lowest, double highest);

  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  bool holds(double target) const { return target >= lowest_ && target <= highest_; }
  /// @param target  One that it holds.
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

/// What is told of the records of a leaf, or of a bin in it, by a row of whole numbers that are added up: how many
/// there are of each class; or, where they have targets, how many they are and the sum of their targets' numbers,
/// negative ones as two's complement.
struct LeafStatistics {
  bool of_targets = false;
  std::size_t num_classes = 0;

  /// Numbers of a row.
  std::size_t size() const { return of_targets ? 2 : num_classes; }
  std::uint64_t num_records(std::span<const std::uint64_t> row) const;
  /// Whether a split may part such records: there are several classes, or targets.
  bool may_vary(std::span<const std::uint64_t> row) const;
  /// For what comes from other processes and checkpoints: nothing that is computed from it overflows.
  bool is_possible(std::span<const std::uint64_t> row) const;
  /// Whether some records may be among others. Both are possible.
  bool is_part(std::span<const std::uint64_t> part, std::span<const std::uint64_t> whole) const;
  /// Whether a split may leave some records on one side and the rest on the other: that is possible, too. Both are.
  /// (What a node has seen is no such whole: add() may have halved it.)
  bool is_side(std::span<const std::uint64_t> part, std::span<const std::uint64_t> whole) const;
  /// Adds records to those that a node has seen. Where it has seen so many targets that sums might not fit, all that
  /// was before counts half.
  void add(std::span<const std::uint64_t> row, std::span<std::uint64_t> seen) const;
  /// Lets the sides of a split share what a leaf has seen as they share the records that the split was found from.
  /// @param left, all  Of the latter. @param shares  [2][size()], written.
  void share(std::span<const std::uint64_t> seen, std::span<const std::uint64_t> left,
             std::span<const std::uint64_t> all, std::uint64_t* shares) const;
};

/// Without the sign. @param number  As two's complement.
inline std::uint64_t magnitude(std::uint64_t number) { return number >> 63 == 0 ? number : ~number + 1; }

/// A row of records with targets.
inline records::TargetSum sum_of(std::span<const std::uint64_t> row) {
  return {static_cast<std::int64_t>(row[1]), static_cast<std::int64_t>(row[0])};
}

}  // namespace fernwood::stream
