// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/search/train_optimized.h"

namespace fernwood::search {

/// Pixels that weights are judged by.
struct EvaluatedPixels {
  Array2<float> probabilities;        ///< [pixel][class]
  std::vector<std::uint16_t> labels;  ///< [pixel] class
};

/// Some of them, one after another.
struct PixelRange {
  std::size_t begin, end;
};

/// Pixels by class, whole numbers, so that the order of counting does not matter.
struct LabelCounts {
  std::vector<std::uint64_t> truth, predicted, right;  ///< [class]

  LabelScores scores() const;
  double score(Goal goal) const;
};

/// Counts pixels whose labels are the classes of highest weighed probability. @param weights  [class]
LabelCounts count_labels(const EvaluatedPixels& pixels, PixelRange range, const std::vector<float>& weights,
                         ThreadPool& pool);

/// Weights with which the goal is highest, as far as changing one at a time finds them: eighth powers of 2, that of the
/// most frequent class 1, as are those of classes without a pixel. A weight's best value is found exactly, from the
/// values at which each pixel would change its label. The search begins with equal weights, with the inverse of the
/// frequencies, and with its square root.
std::vector<float> find_weights(const EvaluatedPixels& pixels, PixelRange range, Goal goal, ThreadPool& pool);

/// Weights by all pixels, and what to expect of them. @param middle  The first pixel of the second half's frames.
WeighedLabels weigh_labels(const EvaluatedPixels& pixels, std::size_t middle, Goal goal, ThreadPool& pool);

}  // namespace fernwood::search
