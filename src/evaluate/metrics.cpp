// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"
#include "fernwood/evaluate/confusion.h"

namespace fernwood::evaluate {
namespace {

/// What a variant of the accuracy does with the pixels of one truth.
struct Exclusion {
  std::optional<std::size_t> truth;  ///< Empty: no pixel is left out.
  bool count_right = false;          ///< Pixels of this truth still count where they are right.
};

forest::Accuracy accuracy(const Confusion& confusion, const Exclusion& excluded) {
  std::vector<std::uint64_t> right, pixels;
  for (std::size_t truth = 0; truth <= confusion.num_classes(); ++truth) {
    if (truth == excluded.truth) continue;
    right.push_back(confusion.count(truth, truth));
    pixels.push_back(confusion.truth_pixels(truth));
  }
  return forest::accuracy_of(right, pixels,
                             excluded.count_right ? confusion.count(*excluded.truth, *excluded.truth) : 0);
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
    metrics.class_accuracy.push_back(forest::ratio(right, truth));
    metrics.class_iou.push_back(forest::ratio(right, truth == 0 ? 0 : truth + predicted - right));
    metrics.class_precision.push_back(forest::ratio(right, truth == 0 ? 0 : predicted));
  }
  metrics.mean_iou = forest::mean_of_known(metrics.class_iou);
  return metrics;
}

}  // namespace fernwood::evaluate
