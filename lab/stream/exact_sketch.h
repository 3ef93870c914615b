// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fernwood::lab {

/// A mergeable summary of the values of one attribute. NaN is not allowed: callers count unknown values separately, and
/// update() throws Error(kData) for them and counts nothing. Code for any sketch is a template over this concept.
template <typename S>
concept Sketch = requires(S sketch, const S& counted, std::span<const float> values, std::span<const S> others,
                          double b, int parts) {
  sketch.update(values);                                            // counts values, in this order
  sketch.merge(others);                                             // adds the values that others have counted
  { counted.sum(b) } -> std::same_as<double>;                       // approximate number of values <= b
  { counted.uniform(parts) } -> std::same_as<std::vector<double>>;  // parts - 1 places that separate equal parts
  { counted.total() } -> std::same_as<std::uint64_t>;               // number of counted values
  { counted.size_bytes() } -> std::same_as<std::size_t>;
};

/// All values, sorted: a Sketch without error, as a reference for others and for data that fit into memory.
class ExactSketch {
 public:
  /// Takes time n log n for n values at once, and up to log N times longer for N values one by one.
  /// @param values  May be infinite; -0 counts as 0. @throws Error(kData) if one is NaN; none is counted then.
  void update(std::span<const float> values);
  void update(float value) { update({&value, 1}); }

  void merge(std::span<const ExactSketch> others);
  void merge(const ExactSketch& other) { merge({&other, 1}); }

  /// Number of values < b, and of values <= b. @param b  Not NaN.
  std::uint64_t count_below(double b) const;
  std::uint64_t count_to(double b) const;
  double sum(double b) const { return static_cast<double>(count_to(b)); }

  /// The smallest value with `rank` values at or below it. @param rank  [1, total()]. @throws Error(kUsage) for others.
  float value_of_rank(std::uint64_t rank) const;
  /// The smallest value at or below which this share of the values lies. @param share  [0, 1].
  /// @throws Error(kData) if nothing was counted.
  double quantile(double share) const;
  /// `parts` - 1 quantiles, ascending, that divide the values into equal parts. Empty if nothing was counted.
  std::vector<double> uniform(int parts) const;

  std::uint64_t total() const { return total_; }
  std::size_t size_bytes() const;

 private:
  void add_run(std::vector<float> run);

  std::vector<std::vector<float>> runs_;  // each sorted, and at least twice as long as the next
  std::uint64_t total_ = 0;
};

}  // namespace fernwood::lab
