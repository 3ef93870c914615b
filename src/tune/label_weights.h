// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/tune/train_optimized.h"

namespace fernwood::tune {

/// The pixels on which weights are evaluated.
struct EvaluatedPixels {
  Array2<float> probabilities;        ///< [pixel][class]
  std::vector<std::uint16_t> labels;  ///< [pixel] Class.
};

/// Pixels begin ... end - 1.
struct PixelRange {
  std::size_t begin, end;
};

/// Numbers of pixels by class; whole numbers, so that the order of counting does not matter.
struct LabelCounts {
  std::vector<std::uint64_t> truth, predicted, right;  ///< [class]

  LabelScores scores() const;
  double score(Goal goal) const;
};

/// Counts pixels labelled with the class of the highest weighted probability. @param weights  [class]
LabelCounts count_labels(const EvaluatedPixels& pixels, PixelRange range, const std::vector<float>& weights,
                         ThreadPool& pool);

/// Weights that maximise the goal, found by changing one at a time: powers of 2^(1/8), with 1 for the most frequent
/// class and for classes without pixels. The best value of a weight is found exactly, from the values at which each
/// pixel changes its label. The search starts from equal weights, inverse frequencies, and their square roots.
std::vector<float> find_weights(const EvaluatedPixels& pixels, PixelRange range, Goal goal, ThreadPool& pool);

/// Weights from all pixels, with estimated scores. @param middle  The first pixel of the second half's frames.
WeighedLabels weigh_labels(const EvaluatedPixels& pixels, std::size_t middle, Goal goal, ThreadPool& pool);

}  // namespace fernwood::tune
