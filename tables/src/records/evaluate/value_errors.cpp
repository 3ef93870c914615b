// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/value_errors.h"

#include <cmath>

namespace fernwood::records {

void ValueErrors::add(double truth, double predicted) {
  if (std::isnan(truth)) {
    ++num_unknown_;
    return;
  }
  const double error = predicted - truth, distance = truth - mean_;
  absolute_ += std::fabs(error);
  squared_ += error * error;
  mean_ += distance / static_cast<double>(++num_known_);
  spread_ += distance * (truth - mean_);
}

double ValueErrors::rmse() const { return std::sqrt(squared_ / static_cast<double>(num_known_)); }
double ValueErrors::mae() const { return absolute_ / static_cast<double>(num_known_); }

std::optional<double> ValueErrors::r2() const {
  if (!(spread_ > 0) || !std::isfinite(spread_) || !std::isfinite(squared_)) return {};
  return 1 - squared_ / spread_;
}

}  // namespace fernwood::records
