// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fernwood/core/arithmetic.h"

namespace fernwood::records {

/// A test of one attribute and the purity of its two sides.
struct Split {
  double purity = -__builtin_huge_val();
  std::uint32_t rank = 0;  ///< Ranks up to this one, among the attribute's distinct values, go left.
  float threshold = 0;
  std::uint16_t attribute = 0;
  bool unknown_left = false;
  bool constant = false;  ///< All samples have the same value: no test exists.

  FW_HD bool found() const { return purity > -__builtin_huge_val(); }
  /// Whether this split is preferred to the other, independently of the order in which they were found.
  FW_HD bool beats(const Split& other) const {
    if (purity != other.purity) return purity > other.purity;
    if (attribute != other.attribute) return attribute < other.attribute;
    if (threshold != other.threshold) return threshold < other.threshold;
    return unknown_left < other.unknown_left;
  }
};

/// A threshold with low <= threshold < high in spite of rounding: the middle of both, if that is representable.
FW_HD float threshold_between(float low, float high) {
  const float middle = low / 2 + high / 2;
  return low <= middle && middle < high ? middle : low;
}

// Both measures are a sum of terms over the counts of classes. Sums are whole numbers, so they do not depend on the
// order of samples, and the resulting purity is the same on every machine.

/// Gini: n samples with counts c have the impurity 1 - sum(c^2) / n^2.
struct GiniTerms {
  FW_HD std::int64_t term(std::int64_t count) const { return count * count; }
  /// n times the impurity, negated, without the summand n: sums over nodes determine the best split.
  FW_HD double purity(std::int64_t sum, std::int64_t n) const {
    return static_cast<double>(sum) / static_cast<double>(n);
  }
};

/// Entropy: n samples with counts c have the impurity log2(n) - sum(c log2(c)) / n.
struct EntropyFormula {
  static constexpr double kUnit = 1 << 20;

  /// count log2(count) in units of 1 / kUnit. @param count  At most 2^31.
  FW_HD std::int64_t term(std::int64_t count) const {
    if (count < 2) return 0;
    const auto value = static_cast<double>(count);
    return static_cast<std::int64_t>(value * exact_log2(value) * kUnit + 0.5);
  }
  /// n times the impurity, negated.
  FW_HD double purity(std::int64_t sum, std::int64_t n) const { return static_cast<double>(sum - term(n)) / kUnit; }
};

/// EntropyFormula with a table of the terms of small counts.
class EntropyTerms {
 public:
  /// @param most  The largest count in the table.
  explicit EntropyTerms(std::size_t most);
  std::int64_t term(std::int64_t count) const {
    const auto place = static_cast<std::size_t>(count);
    return place < terms_.size() ? terms_[place] : EntropyFormula{}.term(count);
  }
  double purity(std::int64_t sum, std::int64_t n) const {
    return static_cast<double>(sum - term(n)) / EntropyFormula::kUnit;
  }

 private:
  std::vector<std::int64_t> terms_;  ///< [count]
};

/// Both sides of a test: numbers of samples, and the sums of terms over their classes.
struct Sides {
  std::int64_t num_left = 0, num_right = 0, sum_left = 0, sum_right = 0;

  /// Their purity; less than any other purity when a side has fewer samples than min_leaf_samples.
  template <typename Terms>
  FW_HD double purity(const Terms& terms, std::int64_t min_leaf_samples) const {
    if (num_left < min_leaf_samples || num_right < min_leaf_samples) return -__builtin_huge_val();
    return terms.purity(sum_left, num_left) + terms.purity(sum_right, num_right);
  }
};

/// Moves samples from the right side of a test to the left and computes the purity of the sides.
template <typename Terms>
class Sweep {
 public:
  /// @param min_leaf_samples  Minimum on each side. @param left, right  Memory for counts of classes.
  Sweep(const Terms& terms, std::int64_t min_leaf_samples, std::vector<std::int64_t>& left,
        std::vector<std::int64_t>& right)
      : terms_(terms), min_leaf_samples_(min_leaf_samples), left_(left), right_(right) {}

  /// Starts with all samples on the right. @param counts  [class]
  template <typename Count>
  void start(std::span<const Count> counts) {
    left_.assign(counts.size(), 0);
    right_.assign(counts.begin(), counts.end());
    sides_ = {};
    for (const std::int64_t count : right_) sides_.num_right += count, sides_.sum_right += terms_.term(count);
  }

  void move(std::size_t label, std::int64_t weight) {
    std::int64_t &left = left_[label], &right = right_[label];
    sides_.sum_left += terms_.term(left + weight) - terms_.term(left);
    sides_.sum_right -= terms_.term(right) - terms_.term(right - weight);
    left += weight, right -= weight;
    sides_.num_left += weight, sides_.num_right -= weight;
  }
  /// Whether splitting here (moved samples left, the rest right) is allowed and purer than `purity`, which is then set.
  bool improves(double& purity) const {
    const double here = sides_.purity(terms_, min_leaf_samples_);
    if (!(here > purity)) return false;
    purity = here;
    return true;
  }

 private:
  const Terms& terms_;
  const std::int64_t min_leaf_samples_;
  std::vector<std::int64_t>&left_, &right_;
  Sides sides_;
};

}  // namespace fernwood::records
