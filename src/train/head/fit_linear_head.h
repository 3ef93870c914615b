// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::train {

/// Maximum number of feature maps for which a head is fitted: time grows with its square.
inline constexpr int kMaxFittedMaps = 2048;

/// Input of fit_linear_head().
struct HeadSetting {
  const dataset::Dataset& dataset;
  const image::Preparation& preparation;  ///< Without a head; its features may read maps.
  std::vector<std::string> classes;
  std::vector<std::uint64_t> class_pixels;  ///< [class] Number of pixels in the whole data set.
  std::uint64_t seed = 1;
  /// Returns a frame with its ground truth; called on many threads.
  std::function<dataset::LabelledFrame(std::size_t frame)> read;
};

/// Fits a linear classifier on feature maps by ridge regression (Hoerl and Kennard 1970): one score per class, with
/// target 1 at its pixels and 0 elsewhere, on pixels drawn from all frames. Classes are weighted by the cube root of
/// their rarity. The penalty is equivalent to kFramesOfDoubt additional frames with uninformative maps: pixels of one
/// frame are similar, so information grows with the number of frames, and few frames are regularised more. All sums are
/// whole numbers below 2^53, so they do not depend on the order of summation or the number of threads and ranks.
/// @return  Null for fewer than two classes, or for more maps or classes than can be fitted.
std::shared_ptr<const image::LinearHead> fit_linear_head(const HeadSetting& setting, ThreadPool& pool,
                                                         Communicator* ranks);

/// Solves a system of linear equations with a symmetric, positive definite matrix by Cholesky decomposition, which
/// overwrites the lower triangle. Bit-identical on every processor.
/// @param matrix  [size][size] The upper triangle is not read. @param right  [columns][size] Replaced by the solutions.
void solve_positive(std::vector<double>& matrix, std::size_t size, std::vector<double>& right);

}  // namespace fernwood::train
