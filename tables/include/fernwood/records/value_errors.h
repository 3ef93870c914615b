// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <optional>

namespace fernwood::records {

/// Errors of predicted values, summed in the order of add().
class ValueErrors {
 public:
  /// @param truth  NaN: unknown, which is only counted.
  void add(double truth, double predicted);

  std::size_t num_known() const { return num_known_; }
  std::size_t num_unknown() const { return num_unknown_; }
  // These need at least one known value.
  double rmse() const;  ///< Root of the mean squared error.
  double mae() const;   ///< Mean absolute error.
  /// The coefficient of determination: 1 minus the squared error divided by that of the mean of the true values; empty
  /// if the true values are all equal, or if a sum of squares overflows a double.
  std::optional<double> r2() const;

 private:
  std::size_t num_known_ = 0, num_unknown_ = 0;
  double absolute_ = 0, squared_ = 0;
  double mean_ = 0, spread_ = 0;  ///< Mean of the true values, and sum of squared distances from it (Welford, 1962).
};

}  // namespace fernwood::records
