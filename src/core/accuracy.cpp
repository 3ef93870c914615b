// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/accuracy.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace fernwood {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(part) / static_cast<double>(whole);
}

double mean_of_known(const std::vector<double>& values) {
  double sum = 0;
  std::uint64_t num_known = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++num_known;
  }
  return num_known == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(num_known);
}

Accuracy accuracy_of(const std::vector<std::uint64_t>& right, const std::vector<std::uint64_t>& pixels,
                     std::uint64_t others_right) {
  std::vector<double> class_accuracy;
  for (std::size_t c = 0; c < right.size(); ++c) class_accuracy.push_back(ratio(right[c], pixels[c]));
  return {ratio(std::accumulate(right.begin(), right.end(), others_right),
                std::accumulate(pixels.begin(), pixels.end(), others_right)),
          mean_of_known(class_accuracy)};
}

}  // namespace fernwood
