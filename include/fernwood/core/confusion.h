// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fernwood/core/array.h"

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

/// Maximum number of classes of a Confusion: its counts, one per pair of classes, then take the memory of a large
/// frame.
inline constexpr std::size_t kMaxComparedClasses = 1024;

/// Confusion matrix: numbers of pixels, or records, by ground truth and prediction.
class Confusion {
 public:
  /// @throws Error(kModel) for more than kMaxComparedClasses.
  explicit Confusion(std::size_t num_classes);
  /// Counts every pixel; labels are classes, or 65535 for void, as in image::LabelImage. @throws Error(kRuntime) when
  /// sizes differ or a label is neither; then nothing is counted.
  void add(const Array2<std::uint16_t>& truth, const Array2<std::uint16_t>& predicted);
  /// Counts every record; labels are classes, or -1 for void. @throws Error(kRuntime) as above.
  void add(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted);
  /// @throws Error(kRuntime) when the numbers of classes differ.
  void add(const Confusion& other);
  /// [truth][predicted] All counts, with void last; set_counts() replaces them. @throws Error(kRuntime) for a wrong
  /// number of counts.
  std::vector<std::uint64_t> counts() const;
  void set_counts(const std::vector<std::uint64_t>& counts);

  std::size_t num_classes() const { return num_classes_; }
  /// @param truth, predicted  A class, or num_classes() for void.
  std::uint64_t count(std::size_t truth, std::size_t predicted) const {
    return even_(truth, predicted) + odd_(truth, predicted);
  }
  /// Pixels with this ground truth, a class or num_classes() for void, and any prediction.
  std::uint64_t truth_pixels(std::size_t truth) const;
  /// Pixels whose ground truth is a class and whose prediction is void.
  std::uint64_t void_predictions() const;
  /// Counts divided by the number of pixels with the same ground truth; without a row for void. Rows without pixels are
  /// NaN. [classes][classes], with an additional column for void if a labelled pixel was predicted void.
  Array2<double> row_shares() const;

 private:
  /// @param truth, predicted  [size]; converted to an unsigned type, void is greater than all classes.
  template <typename Label>
  void count_pairs(const Label* truth, const Label* predicted, std::size_t size);

  std::size_t num_classes_;
  // [classes + 1][classes + 1], the last row and column are void. Pixels of even and odd index are counted apart,
  // because neighbours tend to be alike and incrementing one counter twice in a row makes the processor wait.
  Array2<std::uint64_t> even_, odd_;
};

/// Metrics of a prediction.
///
/// Let n(t, p) be the number of pixels with ground truth t and prediction p, where t and p are classes or void:
/// - accuracy of t: n(t, t) / sum over all p of n(t, p);
/// - pixel accuracy: the sum of n(t, t) over the sum of n(t, p), both over all p and the t that a variant includes;
/// - class average: the mean accuracy of the t that a variant includes and that have a pixel.
/// Pixels are pooled over all frames, so large frames count for more.
///
/// "Without void" means that pixels of void ground truth are not counted. A prediction of void for a labelled pixel is
/// wrong in every variant. Entries of classes without a ground-truth pixel are NaN and not part of any mean.
struct Metrics {
  /// Thesis 3.3, third variant: without void ground truth. The figures usually quoted.
  Accuracy without_void;
  /// First variant: void is a class like any other, and correct if the prediction is void, too.
  Accuracy all;
  /// Second variant: as the first, but pixels of background ground truth count only where they are correct (thesis
  /// 3.3.3), and the class average excludes the background. Empty without a background: if none was named and no ground
  /// truth is void.
  std::optional<Accuracy> without_background;
  double mean_iou = 0;                  ///< Mean of class_iou.
  std::vector<double> class_accuracy;   ///< [class] See above.
  std::vector<double> class_iou;        ///< [class] n(c, c) / pixels of truth c or prediction c, without void.
  std::vector<double> class_precision;  ///< [class] n(c, c) / pixels of prediction c, without void; NaN without any.
  std::uint64_t labelled_pixels = 0, void_pixels = 0;  ///< Pixels by ground truth.

  /// Pixels of void ground truth over all pixels; NaN without pixels.
  double void_share() const;
};

/// @param background  Class excluded by the second variant; empty: void is the background.
/// @throws Error(kRuntime) when the background is not a class.
Metrics compute_metrics(const Confusion& confusion, std::optional<std::uint16_t> background);

}  // namespace fernwood
