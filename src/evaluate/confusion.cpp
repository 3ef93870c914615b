// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/confusion.h"

#include <algorithm>
#include <functional>

#include "fernwood/core/error.h"

namespace fernwood::evaluate {
namespace {

void check_labels(const image::LabelImage& labels, std::size_t num_classes, const char* whose) {
  const std::uint16_t* const begin = labels.data();
  const std::size_t size = labels.size();
  // One more than the largest class; void wraps to 0. A loop that compilers vectorise.
  std::uint16_t bound = 0;
  for (std::size_t i = 0; i < size; ++i) bound = std::max(bound, static_cast<std::uint16_t>(begin[i] + 1));
  if (bound <= num_classes) return;
  const std::size_t at =
      std::find_if(begin, begin + size, [&](std::uint16_t c) { return c >= num_classes && c != image::kVoid; }) - begin;
  FW_CHECK(false, Runtime,
           "the " << whose << " has label " << begin[at] << " at row " << at / labels.cols() << ", column "
                  << at % labels.cols() << "; with " << num_classes << " classes a label is below " << num_classes
                  << ", or " << image::kVoid << " for void");
}

}  // namespace

Confusion::Confusion(std::size_t num_classes)
    : num_classes_(num_classes), even_(num_classes + 1, num_classes + 1), odd_(even_) {}

void Confusion::add(const image::LabelImage& truth, const image::LabelImage& predicted) {
  FW_CHECK(truth.rows() == predicted.rows() && truth.cols() == predicted.cols(), Runtime,
           "the truth is " << truth.cols() << "x" << truth.rows() << " pixels and the prediction " << predicted.cols()
                           << "x" << predicted.rows() << "; only images of one size can be compared");
  check_labels(truth, num_classes_, "truth");
  check_labels(predicted, num_classes_, "prediction");

  const std::uint16_t* const truths = truth.data();
  const std::uint16_t* const predictions = predicted.data();
  std::uint64_t *const even = even_.data(), *const odd = odd_.data();
  const std::size_t num_pixels = truth.size(), num_pairs = num_pixels / 2;
  const std::uint32_t void_index = static_cast<std::uint32_t>(num_classes_), stride = void_index + 1;
  const auto cell = [&](std::size_t i) {
    return std::size_t{std::min<std::uint32_t>(truths[i], void_index)} * stride +
           std::min<std::uint32_t>(predictions[i], void_index);
  };
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    ++even[cell(2 * pair)];
    ++odd[cell(2 * pair + 1)];
  }
  if (num_pixels % 2 == 1) ++even[cell(num_pixels - 1)];
}

void Confusion::add(const Confusion& other) {
  FW_CHECK(num_classes_ == other.num_classes_, Runtime,
           "confusion matrices of " << num_classes_ << " and " << other.num_classes_ << " classes cannot be added");
  std::transform(even_.begin(), even_.end(), other.even_.begin(), even_.begin(), std::plus<>());
  std::transform(odd_.begin(), odd_.end(), other.odd_.begin(), odd_.begin(), std::plus<>());
}

std::uint64_t Confusion::truth_pixels(std::size_t truth) const {
  std::uint64_t pixels = 0;
  for (std::size_t predicted = 0; predicted <= num_classes_; ++predicted) pixels += count(truth, predicted);
  return pixels;
}

}  // namespace fernwood::evaluate
