// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fernwood/core/arithmetic.h"

namespace fernwood::records {

/// The samples on both sides of a test: how many, and the sums of terms over their classes.
struct Sides {
  std::int64_t num_left = 0, num_right = 0, sum_left = 0, sum_right = 0;

  /// How pure they are; less than any purity when a side has fewer samples than min_leaf_samples.
  template <typename Terms>
  FW_HD double purity(const Terms& terms, std::int64_t min_leaf_samples) const {
    if (num_left < min_leaf_samples || num_right < min_leaf_samples) return -__builtin_huge_val();
    return terms.purity(sum_left, num_left) + terms.purity(sum_right, num_right);
  }
};

/// Moves samples from the right side of a test to the left and tells how pure the sides are.
template <typename Terms>
class Sweep {
 public:
  /// @param min_leaf_samples  No side gets fewer. @param left, right  Memory for counts of classes.
  Sweep(const Terms& terms, std::int64_t min_leaf_samples, std::vector<std::int64_t>& left,
        std::vector<std::int64_t>& right)
      : terms_(terms), min_leaf_samples_(min_leaf_samples), left_(left), right_(right) {}

  /// All samples are on the right. @param counts  [class]
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
  /// Whether to stop here, what was moved left and the rest right, is allowed and purer than `purity`, which it raises.
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
