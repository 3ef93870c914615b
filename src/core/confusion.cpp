// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/confusion.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"

namespace fernwood {

namespace {

constexpr std::uint16_t kVoidPixel = 0xffff;
constexpr std::int32_t kVoidRecord = -1;

void check_labels(const Array2<std::uint16_t>& labels, std::size_t num_classes, const char* whose) {
  const std::uint16_t* const begin = labels.data();
  const std::size_t size = labels.size();
  // One more than the largest class; void wraps to 0. Compilers vectorise this loop.
  std::uint16_t bound = 0;
  for (std::size_t i = 0; i < size; ++i) bound = std::max(bound, static_cast<std::uint16_t>(begin[i] + 1));
  if (bound <= num_classes) return;
  const std::size_t at =
      std::find_if(begin, begin + size, [&](std::uint16_t c) { return c >= num_classes && c != kVoidPixel; }) - begin;
  FW_CHECK(false, Runtime,
           "the " << whose << " has label " << begin[at] << " at row " << at / labels.cols() << ", column "
                  << at % labels.cols() << "; with " << num_classes << " classes a label is below " << num_classes
                  << ", or " << kVoidPixel << " for void");
}

void check_labels(std::span<const std::int32_t> labels, std::size_t num_classes, const char* whose) {
  const auto bad = std::ranges::find_if(labels, [&](std::int32_t c) {
    return c != kVoidRecord && (c < 0 || static_cast<std::size_t>(c) >= num_classes);
  });
  FW_CHECK(bad == labels.end(), Runtime,
           "the " << whose << " has label " << *bad << " at record " << bad - labels.begin() << "; with " << num_classes
                  << " classes a label is below " << num_classes << ", or " << kVoidRecord << " for void");
}

/// How a variant of the accuracy counts the pixels of one true class.
struct Exclusion {
  std::optional<std::size_t> truth;  ///< The excluded class; empty: all pixels are counted.
  bool count_right = false;          ///< Whether correctly labelled pixels of the excluded class are still counted.
};

Accuracy accuracy(const Confusion& confusion, const Exclusion& excluded) {
  std::vector<std::uint64_t> right, pixels;
  for (std::size_t truth = 0; truth <= confusion.num_classes(); ++truth) {
    if (truth == excluded.truth) continue;
    right.push_back(confusion.count(truth, truth));
    pixels.push_back(confusion.truth_pixels(truth));
  }
  return accuracy_of(right, pixels, excluded.count_right ? confusion.count(*excluded.truth, *excluded.truth) : 0);
}

/// Number of pixels with this prediction and a true class, which excludes pixels whose truth is void.
std::uint64_t predicted_pixels(const Confusion& confusion, std::size_t predicted) {
  std::uint64_t pixels = 0;
  for (std::size_t truth = 0; truth < confusion.num_classes(); ++truth) pixels += confusion.count(truth, predicted);
  return pixels;
}

/// Number of rows, and of columns, of the matrix: the classes and void.
/// @throws Error(kModel) for more than kMaxComparedClasses.
std::size_t checked_side(std::size_t num_classes) {
  FW_CHECK(num_classes <= kMaxComparedClasses, Model,
           "truth and prediction are compared for at most " << kMaxComparedClasses << " classes, and there are "
                                                            << num_classes
                                                            << "; label the data, and compare elsewhere");
  return num_classes + 1;
}

}  // namespace

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

Confusion::Confusion(std::size_t num_classes)
    : num_classes_(num_classes), even_(checked_side(num_classes), checked_side(num_classes)), odd_(even_) {}

void Confusion::add(const Array2<std::uint16_t>& truth, const Array2<std::uint16_t>& predicted) {
  FW_CHECK(truth.rows() == predicted.rows() && truth.cols() == predicted.cols(), Runtime,
           "the truth is " << truth.cols() << "x" << truth.rows() << " pixels and the prediction " << predicted.cols()
                           << "x" << predicted.rows() << "; only images of one size can be compared");
  check_labels(truth, num_classes_, "truth");
  check_labels(predicted, num_classes_, "prediction");
  count_pairs(truth.data(), predicted.data(), truth.size());
}

void Confusion::add(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted) {
  FW_CHECK(truth.size() == predicted.size(), Runtime,
           "the truth is of " << truth.size() << " records and the prediction of " << predicted.size()
                              << "; only as many can be compared");
  check_labels(truth, num_classes_, "truth");
  check_labels(predicted, num_classes_, "prediction");
  count_pairs(truth.data(), predicted.data(), truth.size());
}

template <typename Label>
void Confusion::count_pairs(const Label* truth, const Label* predicted, std::size_t size) {
  std::uint64_t *const even = even_.data(), *const odd = odd_.data();
  const std::size_t num_pairs = size / 2;
  const std::uint32_t void_index = static_cast<std::uint32_t>(num_classes_), stride = void_index + 1;
  const auto index_of = [&](Label label) { return std::min(static_cast<std::uint32_t>(label), void_index); };
  const auto cell = [&](std::size_t i) { return std::size_t{index_of(truth[i])} * stride + index_of(predicted[i]); };
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    ++even[cell(2 * pair)];
    ++odd[cell(2 * pair + 1)];
  }
  if (size % 2 == 1) ++even[cell(size - 1)];
}

void Confusion::add(const Confusion& other) {
  FW_CHECK(num_classes_ == other.num_classes_, Runtime,
           "confusion matrices of " << num_classes_ << " and " << other.num_classes_ << " classes cannot be added");
  std::transform(even_.begin(), even_.end(), other.even_.begin(), even_.begin(), std::plus<>());
  std::transform(odd_.begin(), odd_.end(), other.odd_.begin(), odd_.begin(), std::plus<>());
}

std::vector<std::uint64_t> Confusion::counts() const {
  std::vector<std::uint64_t> counts(even_.begin(), even_.end());
  std::transform(counts.begin(), counts.end(), odd_.begin(), counts.begin(), std::plus<>());
  return counts;
}

void Confusion::set_counts(const std::vector<std::uint64_t>& counts) {
  FW_CHECK(counts.size() == even_.size(), Runtime,
           "a confusion matrix of " << num_classes_ << " classes and void has " << even_.size() << " counts, and "
                                    << counts.size() << " are given");
  std::ranges::copy(counts, even_.begin());
  std::ranges::fill(odd_, std::uint64_t{0});
}

std::uint64_t Confusion::truth_pixels(std::size_t truth) const {
  std::uint64_t pixels = 0;
  for (std::size_t predicted = 0; predicted <= num_classes_; ++predicted) pixels += count(truth, predicted);
  return pixels;
}

std::uint64_t Confusion::void_predictions() const { return predicted_pixels(*this, num_classes_); }

double Metrics::void_share() const { return ratio(void_pixels, void_pixels + labelled_pixels); }

Metrics compute_metrics(const Confusion& confusion, std::optional<std::uint16_t> background) {
  const DefaultFloats floats;
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

Array2<double> Confusion::row_shares() const {
  Array2<double> shares(num_classes_, num_classes_ + (void_predictions() > 0 ? 1 : 0));
  for (std::size_t truth = 0; truth < num_classes_; ++truth)
    for (std::size_t predicted = 0; predicted < shares.cols(); ++predicted)
      shares(truth, predicted) = ratio(count(truth, predicted), truth_pixels(truth));
  return shares;
}

}  // namespace fernwood
