// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <limits>

#include "fernwood/core/error.h"
#include "fernwood/evaluate/confusion.h"

namespace fernwood {
namespace {

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

/// What a variant of the accuracy does with the pixels of one truth.
struct Exclusion {
  std::optional<std::size_t> truth;  ///< Empty: no pixel is left out.
  bool count_right = false;          ///< Pixels of this truth still count where they are right.
};

Accuracy accuracy(const Confusion& confusion, const Exclusion& excluded) {
  std::uint64_t num_right = 0, num_pixels = 0;
  std::vector<double> class_accuracy;
  for (std::size_t truth = 0; truth <= confusion.num_classes(); ++truth) {
    const std::uint64_t right = confusion.count(truth, truth), pixels = confusion.truth_pixels(truth);
    if (truth != excluded.truth) {
      num_right += right;
      num_pixels += pixels;
      class_accuracy.push_back(ratio(right, pixels));
    } else if (excluded.count_right) {
      num_right += right;
      num_pixels += right;
    }
  }
  return {ratio(num_right, num_pixels), mean_of_known(class_accuracy)};
}

/// Pixels of a class's prediction, void left out.
std::uint64_t predicted_pixels(const Confusion& confusion, std::size_t predicted) {
  std::uint64_t pixels = 0;
  for (std::size_t truth = 0; truth < confusion.num_classes(); ++truth) pixels += confusion.count(truth, predicted);
  return pixels;
}

}  // namespace

Metrics compute_metrics(const Confusion& confusion, std::optional<std::uint16_t> background) {
  const std::size_t num_classes = confusion.num_classes(), void_index = num_classes;
  FW_CHECK(!background || *background < num_classes, Runtime,
           "the background is class " << *background << ", but there are " << num_classes << " classes, from 0");
  Metrics metrics;
  metrics.void_pixels = confusion.truth_pixels(void_index);
  metrics.without_void = accuracy(confusion, {.truth = void_index});
  metrics.all = accuracy(confusion, {});
  if (background || metrics.void_pixels > 0)
    metrics.without_background =
        accuracy(confusion, {.truth = background ? *background : void_index, .count_right = true});

  for (std::size_t c = 0; c < num_classes; ++c) {
    const std::uint64_t right = confusion.count(c, c), truth = confusion.truth_pixels(c);
    const std::uint64_t predicted = predicted_pixels(confusion, c);
    metrics.labelled_pixels += truth;
    metrics.class_accuracy.push_back(ratio(right, truth));
    metrics.class_iou.push_back(ratio(right, truth == 0 ? 0 : truth + predicted - right));
    metrics.class_precision.push_back(ratio(right, truth == 0 ? 0 : predicted));
  }
  metrics.mean_iou = mean_of_known(metrics.class_iou);
  return metrics;
}

}  // namespace fernwood
