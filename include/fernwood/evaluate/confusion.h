// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/forest/accuracy.h"
#include "fernwood/image/labels.h"

namespace fernwood::evaluate {

/// A count for each pair of classes would take the memory of a large frame.
inline constexpr std::size_t kMostComparedClasses = 1024;

/// Pixels, or records, counted by truth and prediction.
class Confusion {
 public:
  /// @throws Error(kModel) for more than kMostComparedClasses.
  explicit Confusion(std::size_t num_classes);
  /// Counts every pixel. @throws Error(kRuntime) when sizes differ or a label is neither a class nor kVoid; then
  /// nothing is counted.
  void add(const image::LabelImage& truth, const image::LabelImage& predicted);
  /// Counts every record, whose label is a class or records::kNoClass for void. @throws Error(kRuntime) as above.
  void add(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted);
  /// @throws Error(kRuntime) when the numbers of classes differ.
  void add(const Confusion& other);
  /// [truth][predicted] All counts, void last, and back: they are replaced. @throws Error(kRuntime) for another number.
  std::vector<std::uint64_t> counts() const;
  void set_counts(const std::vector<std::uint64_t>& counts);

  std::size_t num_classes() const { return num_classes_; }
  /// @param truth, predicted  A class, or num_classes() for void.
  std::uint64_t count(std::size_t truth, std::size_t predicted) const {
    return even_(truth, predicted) + odd_(truth, predicted);
  }
  /// Pixels whose truth is a class (or num_classes() for void), whatever the prediction.
  std::uint64_t truth_pixels(std::size_t truth) const;
  /// Pixels whose truth is a class and whose prediction is void.
  std::uint64_t void_predictions() const;
  /// Counts divided by the pixels of their truth, void left out of the truth; rows without a pixel are NaN.
  /// [classes][classes], with one more column when a labelled pixel was predicted void.
  Array2<double> row_shares() const;

 private:
  /// @param truth, predicted  [size], void is above all classes once it is unsigned.
  template <typename Label>
  void count_pairs(const Label* truth, const Label* predicted, std::size_t size);

  std::size_t num_classes_;
  // [classes + 1][classes + 1], the last row and column are void. Pixels of even and odd index are counted apart,
  // because neighbours tend to be alike and incrementing one counter twice in a row makes the processor wait.
  Array2<std::uint64_t> even_, odd_;
};

/// Everything said about a prediction.
///
/// With n(t, p) the pixels of truth t and prediction p, where t and p are classes or void:
/// - accuracy of t: n(t, t) / sum over all p of n(t, p);
/// - pixel accuracy: the sum of n(t, t) over the sum of n(t, p), both over all p and the t that a variant keeps;
/// - class average: the mean accuracy of the t that a variant keeps and that have a pixel.
/// Pixels are pooled over all frames, so large frames count for more.
///
/// "Void left out" means that pixels of truth void are not looked at. A prediction of void for a labelled pixel is
/// wrong in every variant. Entries of classes without a truth pixel are NaN and no part of any mean.
struct Metrics {
  /// Thesis 3.3, third variant: truth void is left out. The figures usually quoted.
  forest::Accuracy without_void;
  /// First variant: void is a class like any other, right when the prediction is void, too.
  forest::Accuracy all;
  /// Second variant: as the first, but pixels of truth background count only where they are right (thesis 3.3.3), and
  /// the class average leaves the background out. Empty when there is no background: none was named and no truth is
  /// void.
  std::optional<forest::Accuracy> without_background;
  double mean_iou = 0;                 ///< Mean of class_iou.
  std::vector<double> class_accuracy;  ///< [class] see above.
  std::vector<double> class_iou;       ///< [class] n(c, c) / pixels of truth c or prediction c, void left out.
  std::vector<double>
      class_precision;  ///< [class] n(c, c) / pixels of prediction c, void left out; NaN if never predicted.
  std::uint64_t labelled_pixels = 0, void_pixels = 0;  ///< Pixels by truth.

  /// Pixels of truth void over all pixels; NaN when there are none.
  double void_share() const;
};

/// @param background  The class excluded by the second variant; empty: void is the background.
/// @throws Error(kRuntime) when the background is not a class.
Metrics compute_metrics(const Confusion& confusion, std::optional<std::uint16_t> background);

}  // namespace fernwood::evaluate
