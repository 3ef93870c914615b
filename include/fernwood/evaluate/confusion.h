// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/image/labels.h"

namespace fernwood {

/// Pixels counted by truth and prediction.
class Confusion {
 public:
  explicit Confusion(std::size_t num_classes);
  /// Counts every pixel. @throws Error(kRuntime) when sizes differ or a label is neither a class nor kVoid.
  void add(const LabelImage& truth, const LabelImage& predicted);
  void add(const Confusion& other);

  std::size_t num_classes() const { return num_classes_; }
  /// @param truth, predicted  A class, or num_classes() for void.
  std::uint64_t count(std::size_t truth, std::size_t predicted) const { return counts_(truth, predicted); }

 private:
  std::size_t num_classes_;
  Array2<std::uint64_t> counts_;  // [classes + 1][classes + 1], the last row and column are void
};

/// Pixel accuracy and average per-class accuracy (thesis 3.3.2, 3.3.3), in [0, 1]; NaN where nothing was counted.
struct Accuracy {
  double pixel = 0, class_average = 0;
};

/// Everything said about a prediction; per-class entries are NaN for classes without a truth pixel.
struct Metrics {
  Accuracy without_void;                        ///< Thesis 3.3, third variant: the figures usually quoted.
  Accuracy all;                                 ///< First variant: void is a class like any other.
  std::optional<Accuracy> without_background;   ///< Second variant, when the classes (or void) name a background.
  double mean_iou = 0;                          ///< Mean intersection over union, void left out.
  std::vector<double> class_accuracy, class_iou, class_precision;  ///< [class], void left out.
  std::uint64_t labelled_pixels = 0, void_pixels = 0;
};

/// @param background  The class excluded by the second variant; empty: void is the background.
Metrics compute_metrics(const Confusion& confusion, std::optional<std::uint16_t> background);

}  // namespace fernwood
