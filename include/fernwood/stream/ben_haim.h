// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fernwood/stream/bin.h"

namespace fernwood::stream {

/// The streaming histogram of Ben-Haim and Tom-Tov (JMLR 2010): at most max_bins bins, of which the nearest two become
/// one when a new value needs a bin. A Sketch. It has no error bound: bins stay where early values put them, so input
/// in order and long tails are met badly (`fernwood stream bench sketches` measures it); LogLinearSketch has one. The
/// same values in the same order give the same bits on every processor (see bin.h).
class BenHaimHistogram {
 public:
  /// @param max_bins  B of the paper. @throws Error(kUsage) unless in [2, 1048576].
  explicit BenHaimHistogram(int max_bins);
  /// One that has bins() of another. @throws Error(kData) for bins that no histogram of so many has.
  BenHaimHistogram(int max_bins, std::vector<Bin> bins);

  /// Procedure UPDATE: counts a value `count` times, at once. Of equal gaps the leftmost is merged.
  /// @param value  May be infinite. @throws Error(kData) if it is NaN.
  void update(float value, std::uint64_t count = 1);
  /// Counts values one after another.
  void update(std::span<const float> values);

  /// Procedure MERGE with any number of histograms at once, whose order does not matter; this one keeps its max_bins().
  void merge(std::span<const BenHaimHistogram> others);
  void merge(const BenHaimHistogram& other) { merge({&other, 1}); }

  /// Procedure SUM: about how many values are <= b: 0 below the first bin, total() from the last bin on. Infinite bins
  /// are counted as points: nothing lies between them and finite ones. @param b  Not NaN.
  double sum(double b) const { return sums({&b, 1}).front(); }
  /// Procedure SUM for several places in one go over the bins. @param places  Ascending.
  std::vector<double> sums(std::span<const double> places) const;
  /// Procedure UNIFORM: `parts` - 1 places, ascending, that part the values into as many each. At the ends, where the
  /// procedure is not defined, they are the first and the last bin. Empty if nothing was counted.
  std::vector<double> uniform(int parts) const;

  std::uint64_t total() const { return total_; }
  int max_bins() const { return max_bins_; }
  /// Ascending.
  std::span<const Bin> bins() const { return bins_; }
  std::size_t size_bytes() const { return sizeof(*this) + bins_.capacity() * sizeof(Bin); }

 private:
  void add(float value, std::uint64_t count);

  int max_bins_;
  std::vector<Bin> bins_;
  std::uint64_t total_ = 0;
};

}  // namespace fernwood::stream
