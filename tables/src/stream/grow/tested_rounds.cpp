// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/tested_rounds.h"

#include <cmath>

namespace fernwood::stream {

void TargetErrors::add(std::int64_t target, std::int64_t predicted) {
  const auto square = [](std::int64_t number) { return static_cast<std::uint64_t>(number * number); };
  ++records;
  absolute += static_cast<std::uint64_t>(std::abs(target - predicted));
  squared.add(square(target - predicted));
  sum += target;
  squares.add(square(target));
}

TargetErrors& TargetErrors::operator+=(const TargetErrors& other) {
  records += other.records, absolute += other.absolute;
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(other.sum));
  squared += other.squared, squares += other.squares;
  return *this;
}

PrequentialErrors TargetErrors::in_units_of(double unit) const {
  const auto n = static_cast<double>(records), total = static_cast<double>(sum);
  const double spread = squares.value() - total * (total / n);
  PrequentialErrors errors{.mae = static_cast<double>(absolute) / n * unit,
                           .rmse = std::sqrt(squared.value() / n) * unit};
  if (spread > 0) errors.r2 = 1 - squared.value() / spread;
  return errors;
}

bool is_possible(const TargetErrors& errors) {
  constexpr auto most = static_cast<std::uint64_t>(kMaxNumber);
  return errors.records <= kMaxSeen && errors.absolute / (2 * most) <= errors.records &&
         magnitude(static_cast<std::uint64_t>(errors.sum)) / most <= errors.records && errors.squared.is_possible() &&
         errors.squares.is_possible();
}

}  // namespace fernwood::stream
