// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Conversion of leaf counts to probabilities, and of probabilities to a class.

#include <cstdint>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/labels.h"

namespace fernwood::forest {

/// Divides a row by its sum, added up from class 0 on so that rounding is the same on every device; a row of zeros is
/// unchanged.
FW_HD void normalise(float* row, std::int32_t num_classes) {
  float sum = 0.0f;
  for (std::int32_t c = 0; c < num_classes; ++c) sum += row[c];
  if (!(sum > 0.0f)) return;
  for (std::int32_t c = 0; c < num_classes; ++c) row[c] /= sum;
}

/// Probabilities of one leaf from its counts: relative frequencies (thesis eq. 3.6) times the weights (3.7),
/// normalised.
/// @param weights  [class] p(c | data set) / p(c | samples), or all 1, times the class weights; finite, >= 0.
/// @param row      [class], output: sum 1, or all 0 if counts and weights leave nothing.
template <typename Count>
FW_HD void leaf_row(const Count* counts, const float* weights, std::int32_t num_classes, float* row) {
  for (std::int32_t c = 0; c < num_classes; ++c) row[c] = static_cast<float>(counts[c]);
  normalise(row, num_classes);
  for (std::int32_t c = 0; c < num_classes; ++c) row[c] *= weights[c];
  normalise(row, num_classes);
}

/// Limit of the absolute score that a boosted leaf adds to a class, so that sums over any number of trees stay accurate
/// enough.
inline constexpr float kMaxLeafScore = 100.0f;

/// Converts sums over trees to probabilities.
struct SoftmaxNormalizer {
  bool scores;    ///< Whether sums are scores of boosted trees.
  float highest;  ///< Highest sum, if so.
  float total;

  FW_HD float probability(float sum) const { return (scores ? exp_of(sum - highest) : sum) / total; }
};

/// @param sum_of  sum_of(class) over the trees; added up from class 0 on so that rounding is the same on every device.
template <typename SumOf>
FW_HD SoftmaxNormalizer scale_of(ForestKind kind, const SumOf& sum_of, std::int32_t num_classes,
                                 std::size_t num_trees) {
  SoftmaxNormalizer scale = {kind == ForestKind::kBoosted, 0.0f, static_cast<float>(num_trees)};
  if (!scale.scores) return scale;
  scale.highest = sum_of(0);
  for (std::int32_t c = 1; c < num_classes; ++c) {
    const float sum = sum_of(c);
    scale.highest = sum > scale.highest ? sum : scale.highest;
  }
  scale.total = 0.0f;
  for (std::int32_t c = 0; c < num_classes; ++c) scale.total += exp_of(sum_of(c) - scale.highest);
  return scale;
}

/// As scale_of(), for contiguous sums. @param sums  [class]
FW_HD SoftmaxNormalizer scale_of_row(ForestKind kind, const float* sums, std::size_t num_classes,
                                     std::size_t num_trees) {
  struct Row {
    const float* sums;
    FW_HD float operator()(std::int32_t c) const { return sums[c]; }
  };
  return scale_of(kind, Row{sums}, static_cast<std::int32_t>(num_classes), num_trees);
}

/// Transformation of a class's sum or probability for the choice of a label.
struct ClassPriorCorrection {
  float factor = 1.0f, lift = 0.0f;

  FW_HD float of(float value) const { return value * factor + lift; }
};

/// [class] Corrections for sums over trees. For boosted scores, of which only differences matter, the logarithms of the
/// weights are added, shifted so that none is below 0.
std::vector<ClassPriorCorrection> correct_sums(const Forest& forest);
/// [class] Corrections for probabilities. @param smoothed  Whether they were smoothed.
std::vector<ClassPriorCorrection> correct_probabilities(const Forest& forest, bool smoothed);

/// The class of the highest probability among those offered in order (thesis eq. 3.8), the first of equal ones; kVoid
/// while all are 0.
struct BestClass {
  float highest = 0.0f;
  std::uint16_t label = image::kVoid;

  FW_HD void offer(std::int32_t label_offered, float probability) {
    if (!(probability > highest)) return;
    highest = probability;
    label = static_cast<std::uint16_t>(label_offered);
  }
};

/// A label, or kVoid if its class's probability is below the minimum.
FW_HD std::uint16_t confident_label(std::uint16_t label, float probability, float min_confidence) {
  return probability < min_confidence ? image::kVoid : label;
}

}  // namespace fernwood::forest
