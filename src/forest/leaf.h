// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// From the counts of a leaf to probabilities, and from probabilities to a class.

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/labels.h"

namespace fernwood::forest {

/// Divides a row by its sum, added up from class 0 on so that every device rounds alike; a row of zeros stays.
FW_HD void normalise(float* row, std::int32_t num_classes) {
  float sum = 0.0f;
  for (std::int32_t c = 0; c < num_classes; ++c) sum += row[c];
  if (!(sum > 0.0f)) return;
  for (std::int32_t c = 0; c < num_classes; ++c) row[c] /= sum;
}

/// Probabilities of one leaf from its counts: relative frequencies (thesis eq. 3.6) less the bias (4.10-4.11), times
/// the weights (3.7), normalised. The bias comes before the weights, for it is there to keep a pixel or two of a class
/// that the weights make heavy from outweighing all others (thesis 4.3).
/// @param weights  [class] p(c | data set) / p(c | samples), or all 1, times the class weights; finite, >= 0.
/// @param row      [class], written: sum 1, or all 0 when neither counts, bias nor weights leave anything.
template <typename Count>
FW_HD void leaf_row(const Count* counts, const float* weights, std::int32_t num_classes, float bias, float* row) {
  for (std::int32_t c = 0; c < num_classes; ++c) row[c] = static_cast<float>(counts[c]);
  normalise(row, num_classes);
  for (std::int32_t c = 0; c < num_classes; ++c) row[c] = (row[c] > bias ? row[c] - bias : 0.0f) * weights[c];
  normalise(row, num_classes);
}

/// The class of highest probability among those offered in order (thesis eq. 3.8), the first of equals; kVoid while all
/// are 0.
struct BestClass {
  float highest = 0.0f;
  std::uint16_t label = image::kVoid;

  FW_HD void offer(std::int32_t label_offered, float probability) {
    if (!(probability > highest)) return;
    highest = probability;
    label = static_cast<std::uint16_t>(label_offered);
  }
};

}  // namespace fernwood::forest
