// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

namespace fernwood {

/// Pixel accuracy and average class accuracy (thesis 3.3.2, 3.3.3), in [0, 1]; NaN if no pixel was counted.
struct Accuracy {
  double pixel = 0, class_average = 0;
  bool operator==(const Accuracy&) const = default;
};

/// Accuracies from counts of pixels. Classes without pixels are excluded from the average.
/// @param right         [class] Correctly labelled pixels.
/// @param pixels        [class] All pixels.
/// @param others_right  Correct pixels of classes outside the average; they count as pixels and as correct.
Accuracy accuracy_of(const std::vector<std::uint64_t>& right, const std::vector<std::uint64_t>& pixels,
                     std::uint64_t others_right = 0);

/// part / whole; NaN when the whole is 0.
double ratio(std::uint64_t part, std::uint64_t whole);

/// Mean of the values that are not NaN; NaN if all are.
double mean_of_known(const std::vector<double>& values);

}  // namespace fernwood
