// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fernwood::stream {

/// All values, sorted. A Sketch without error, to judge the others by and for data that fit into memory.
class ExactSketch {
 public:
  /// Takes time n log n for n values at once, and up to log N times as long for N values one by one.
  /// @param values  May be infinite; -0 counts as 0. @throws Error(kData) if one is NaN; none is counted then.
  void update(std::span<const float> values);
  void update(float value) { update({&value, 1}); }

  void merge(std::span<const ExactSketch> others);
  void merge(const ExactSketch& other) { merge({&other, 1}); }

  /// How many values are < b, and how many are <= b. @param b  Not NaN.
  std::uint64_t count_below(double b) const;
  std::uint64_t count_to(double b) const;
  double sum(double b) const { return static_cast<double>(count_to(b)); }

  /// The smallest value with `rank` values at or below it. @param rank  [1, total()]. @throws Error(kUsage) for others.
  float value_of_rank(std::uint64_t rank) const;
  /// The smallest value with that share of the values at or below it. @param share  [0, 1].
  /// @throws Error(kData) if nothing was counted.
  double quantile(double share) const;
  /// `parts` - 1 quantiles, ascending, that part the values into as many each. Empty if nothing was counted.
  std::vector<double> uniform(int parts) const;

  std::uint64_t total() const { return total_; }
  std::size_t size_bytes() const;

 private:
  void add_run(std::vector<float> run);

  std::vector<std::vector<float>> runs_;  // each sorted, and at least twice as long as the next
  std::uint64_t total_ = 0;
};

}  // namespace fernwood::stream
