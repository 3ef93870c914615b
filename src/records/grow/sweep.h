// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fernwood {

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
    num_left_ = num_right_ = sum_left_ = sum_right_ = 0;
    for (const std::int64_t count : right_) num_right_ += count, sum_right_ += terms_.term(count);
  }

  void move(std::size_t label, std::int64_t weight) {
    std::int64_t &left = left_[label], &right = right_[label];
    sum_left_ += terms_.term(left + weight) - terms_.term(left);
    sum_right_ -= terms_.term(right) - terms_.term(right - weight);
    left += weight, right -= weight;
    num_left_ += weight, num_right_ -= weight;
  }
  /// Whether to stop here, what was moved left and the rest right, is allowed and purer than `purity`, which it raises.
  bool improves(double& purity) const {
    if (num_left_ < min_leaf_samples_ || num_right_ < min_leaf_samples_) return false;
    const double here = terms_.purity(sum_left_, num_left_) + terms_.purity(sum_right_, num_right_);
    if (!(here > purity)) return false;
    purity = here;
    return true;
  }

 private:
  const Terms& terms_;
  const std::int64_t min_leaf_samples_;
  std::vector<std::int64_t>&left_, &right_;
  std::int64_t num_left_ = 0, num_right_ = 0, sum_left_ = 0, sum_right_ = 0;
};

}  // namespace fernwood
