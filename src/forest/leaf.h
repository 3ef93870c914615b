// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// From the counts of a leaf to probabilities, and from probabilities to a class.

#include <cstdint>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/forest/forest.h"
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

/// Bound of what a boosted leaf adds for or against a class, so that sums of any number of trees stay exact enough.
inline constexpr float kMostLeafScore = 100.0f;

/// From the sums of what trees say to probabilities.
struct SoftmaxNormalizer {
  bool scores;    ///< Of boosted trees.
  float highest;  ///< Of the sums, if so.
  float total;

  FW_HD float probability(float sum) const { return (scores ? exp_of(sum - highest) : sum) / total; }
};

/// @param sum_of  sum_of(class), over the trees; summed up from class 0 on so that every device rounds alike.
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

/// The same for sums side by side. @param sums  [class]
FW_HD SoftmaxNormalizer scale_of_row(ForestKind kind, const float* sums, std::size_t num_classes,
                                     std::size_t num_trees) {
  struct Row {
    const float* sums;
    FW_HD float operator()(std::int32_t c) const { return sums[c]; }
  };
  return scale_of(kind, Row{sums}, static_cast<std::int32_t>(num_classes), num_trees);
}

/// What a class's sum or probability is weighed as when labels are chosen.
struct ClassPriorCorrection {
  float factor = 1.0f, lift = 0.0f;

  FW_HD float of(float value) const { return value * factor + lift; }
};

/// [class] For sums of what trees say. Scores, whose differences count alone, are lifted by the logarithms of the
/// weights, none below 0.
std::vector<ClassPriorCorrection> correct_sums(const Forest& forest);
/// [class] For probabilities. @param smoothed  Whether they were smoothed.
std::vector<ClassPriorCorrection> correct_probabilities(const Forest& forest, bool smoothed);

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
