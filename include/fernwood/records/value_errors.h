// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <optional>

namespace fernwood::records {

/// How far predicted values are from the true ones, added up in the order in which they come.
class ValueErrors {
 public:
  /// @param truth  NaN: not known, and only counted.
  void add(double truth, double predicted);

  std::size_t num_known() const { return num_known_; }
  std::size_t num_unknown() const { return num_unknown_; }
  // All need a known value.
  double rmse() const;  ///< Root of the mean squared error.
  double mae() const;   ///< Mean absolute error.
  /// The coefficient of determination: 1 less the squared error as a part of what the mean of the true values has;
  /// empty where these are all equal, or squares too large for a double.
  std::optional<double> r2() const;

 private:
  std::size_t num_known_ = 0, num_unknown_ = 0;
  double absolute_ = 0, squared_ = 0;
  double mean_ = 0, spread_ = 0;  ///< Of the true values; the sum of squared distances from it (Welford, 1962).
};

}  // namespace fernwood::records
