// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "records/grow/finish_tree.h"
#include "records/grow/fixed_targets.h"
#include "records/grow/sample.h"

namespace fernwood::records {

/// Number of samples and sum of their targets, as numbers of FixedTargets.
struct TargetSum {
  std::int64_t sum = 0, weight = 0;

  /// Subtracted from targets before they are squared, so that rounding does not hide the differences that matter.
  std::int64_t center() const { return sum / weight; }
  TargetSum& operator+=(const TargetSum& other) {
    sum += other.sum, weight += other.weight;
    return *this;
  }
};

/// Totals of a node.
struct TargetTotals {
  TargetSum all;
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), highest = 0;
};

/// Purity of one side of a test: n times the squared distance of its mean from `center`, which is its squared error,
/// negated, up to a constant. Rounded as written; the sum is exact.
inline double target_purity(const TargetSum& side, std::int64_t center) {
  const auto sum = static_cast<double>(side.sum - center * side.weight);
  return sum * sum / static_cast<double>(side.weight);
}

/// Like Sweep, for targets.
class TargetSweep {
 public:
  TargetSweep(const TargetSum& all, std::int64_t min_leaf_samples)
      : min_leaf_samples_(min_leaf_samples), center_(all.center()), right_(all) {}

  void move(std::size_t, const TargetSum& cell) {
    left_ += cell;
    right_.sum -= cell.sum, right_.weight -= cell.weight;
  }
  bool improves(double& purity) const {
    if (left_.weight < min_leaf_samples_ || right_.weight < min_leaf_samples_) return false;
    const double here = target_purity(left_, center_) + target_purity(right_, center_);
    if (!(here > purity)) return false;
    purity = here;
    return true;
  }

 private:
  std::int64_t min_leaf_samples_, center_;
  TargetSum left_, right_;
};

/// Sums of targets, evaluated by their squared error; see ClassStatistics. The value of a leaf is the mean.
class TargetStatistics {
 public:
  using Cell = TargetSum;
  using Totals = TargetTotals;
  struct Memory {};
  static constexpr std::size_t kLanes = 1;

  /// @param weight  Of all samples.
  TargetStatistics(std::span<const double> targets, std::uint32_t weight) : targets_(targets, weight) {}

  static std::size_t num_cells() { return 1; }
  static std::size_t cell_index(const Sample&) { return 0; }
  Cell cell_of(const Sample& sample) const { return {targets_[sample.record] * sample.weight, sample.weight}; }
  static std::int64_t weight_of(const Cell& cell) { return cell.weight; }
  static bool counts_values(std::size_t num_values, std::size_t num_samples) { return num_values <= num_samples; }

  static std::uint32_t key_of(const Sample&, std::size_t place) { return static_cast<std::uint32_t>(place); }
  template <typename Take>
  void with_cell(std::uint32_t key, std::span<const Sample> samples, const Take& take) const {
    take(std::size_t{0}, cell_of(samples[key]));
  }

  Totals totals_of(std::span<const Sample> samples) const {
    Totals totals;
    for (const Sample& sample : samples) {
      totals.all += cell_of(sample);
      totals.lowest = std::min(totals.lowest, targets_[sample.record]);
      totals.highest = std::max(totals.highest, targets_[sample.record]);
    }
    return totals;
  }
  static std::span<const Cell> cells_of(const Totals& totals) { return {&totals.all, 1}; }
  static std::int64_t weight_of(const Totals& totals) { return totals.all.weight; }
  static bool is_pure(const Totals& totals) { return totals.lowest == totals.highest; }
  static double purity(const Totals& totals) { return target_purity(totals.all, totals.all.center()); }

  static TargetSweep sweep(const Totals& totals, std::int64_t min_leaf_samples, Memory&) {
    return {totals.all, min_leaf_samples};
  }

  template <typename CellsOfNode>
  RecordTree finish(const std::vector<RecordNode>& nodes, const std::vector<double>& covers,
                    const CellsOfNode& cells_of_node) const {
    return finish_values(nodes, covers, [&](std::size_t node) {
      const Cell& cell = *cells_of_node(node);
      return targets_.mean(cell.sum, cell.weight);
    });
  }

 private:
  FixedTargets targets_;
};

}  // namespace fernwood::records
