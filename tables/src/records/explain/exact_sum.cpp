// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/explain/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fernwood::records {

namespace {

/// A sum of doubles in twice their precision (Dekker, Numerische Mathematik 18, 1971).
class DoubleSum {
 public:
  void add(double number) {
    const double sum = high_ + number, of_number = sum - high_;
    const double lost = (high_ - (sum - of_number)) + (number - of_number);
    const double low = low_ + lost;
    high_ = sum + low;
    low_ = low - (high_ - sum);
  }
  double value() const { return high_; }

 private:
  double high_ = 0, low_ = 0;
};

/// Half the distance to the nearest double, so that sums closer than this round to the number.
double rounding_radius(double number) {
  const double size = std::abs(number);
  return size == 0 ? 0 : (size - std::nextafter(size, 0.0)) / 2;
}

}  // namespace

void settle_sum(double* numbers, std::size_t count, std::size_t step, double total) {
  DoubleSum left;
  left.add(total);
  for (std::size_t i = 0; i < count; ++i) left.add(-numbers[i]);
  const double radius = rounding_radius(total);
  double limit = std::numeric_limits<double>::infinity();
  // A number of infinity or NaN has no remainder.
  while (std::isfinite(left.value()) && left.value() != 0 && !(std::abs(left.value()) < radius)) {
    double* largest = nullptr;
    for (std::size_t i = 0; i + 1 < count; i += step)
      if (const double size = std::abs(numbers[i]); size > (largest ? std::abs(*largest) : 0) && size < limit)
        largest = numbers + i;
    if (!largest && limit == std::numeric_limits<double>::infinity()) largest = numbers + count - 1;
    if (!largest) return;
    limit = std::abs(*largest);
    const double before = *largest;
    *largest += left.value();
    left.add(before);
    left.add(-*largest);
    if (largest == numbers + count - 1) return;
  }
}

}  // namespace fernwood::records
