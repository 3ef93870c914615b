// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/confusion.h"

namespace fernwood::testdata {

/// A confusion matrix of these counts: rows are true classes, columns predictions; the last row and column are void.
inline Confusion confusion_of(const std::vector<std::vector<int>>& counts) {
  const std::size_t num_classes = counts.size() - 1;
  const auto label = [&](std::size_t index) {
    return index == num_classes ? std::uint16_t{0xffff} : static_cast<std::uint16_t>(index);
  };
  Confusion confusion(num_classes);
  for (std::size_t t = 0; t <= num_classes; ++t)
    for (std::size_t p = 0; p <= num_classes; ++p) {
      const std::size_t num_pixels = static_cast<std::size_t>(counts[t][p]);
      confusion.add(Array2<std::uint16_t>(1, num_pixels, label(t)), Array2<std::uint16_t>(1, num_pixels, label(p)));
    }
  return confusion;
}

/// Three classes and void; no two metrics are equal when rows and columns are swapped. The third class has no pixels
/// and is predicted twice.
inline Confusion example_confusion() {
  return confusion_of({{8, 1, 1, 0},    // 10 pixels
                       {4, 3, 0, 1},    // 8 pixels
                       {0, 0, 0, 0},    // none
                       {5, 0, 1, 2}});  // 8 void pixels
}

}  // namespace fernwood::testdata
