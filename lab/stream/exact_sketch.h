// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fernwood::lab {

/// A mergeable summary of one attribute's values, NaN excepted: callers count unknown values apart, and update() throws
/// Error(kData) for them and counts nothing. Code that works with any sketch is a template over it.
template <typename S>
concept Sketch = requires(S sketch, const S& counted, std::span<const float> values, std::span<const S> others,
                          double b, int parts) {
  sketch.update(values);                                            // counts them, in this order
  sketch.merge(others);                                             // counts also what they counted
  { counted.sum(b) } -> std::same_as<double>;                       // values <= b, about
  { counted.uniform(parts) } -> std::same_as<std::vector<double>>;  // parts - 1 places with as many values between each
  { counted.total() } -> std::same_as<std::uint64_t>;               // values counted
  { counted.size_bytes() } -> std::same_as<std::size_t>;
};

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

}  // namespace fernwood::lab
