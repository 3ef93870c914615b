// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

namespace fernwood::forest {

/// Pixel accuracy and average per-class accuracy (thesis 3.3.2, 3.3.3), in [0, 1]; NaN where nothing was counted.
struct Accuracy {
  double pixel = 0, class_average = 0;
  bool operator==(const Accuracy&) const = default;
};

/// Classes without a pixel are no part of the average.
/// @param right         [class] pixels labelled right.
/// @param pixels        [class] all pixels.
/// @param others_right  Pixels of no class of the average that count where they are right, and they are.
Accuracy accuracy_of(const std::vector<std::uint64_t>& right, const std::vector<std::uint64_t>& pixels,
                     std::uint64_t others_right = 0);

/// part / whole; NaN when the whole is 0.
double ratio(std::uint64_t part, std::uint64_t whole);

/// Mean of the values that are not NaN; NaN when there is none.
double mean_of_known(const std::vector<double>& values);

}  // namespace fernwood::forest
