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

/// Most feature maps for which a head is fitted: the time goes with the square of their number.
inline constexpr int kMostFittedMaps = 2048;

/// What a head is fitted to.
struct HeadSetting {
  const dataset::Dataset& dataset;
  const image::Preparation& preparation;  ///< Without a head; its features may read maps.
  std::vector<std::string> classes;
  std::vector<std::uint64_t> class_pixels;  ///< [class] In the whole data set.
  std::uint64_t seed = 1;
  /// A frame with its truth; called on many threads.
  std::function<dataset::LabelledFrame(std::size_t frame)> read;
};

/// A linear classifier of feature maps by ridge regression (Hoerl and Kennard 1970) of one score for each class, 1 at
/// its pixels and 0 elsewhere, on pixels drawn from all frames. Classes count by the cubic root of their rarity. The
/// penalty is as if kFramesOfDoubt further frames had maps that tell nothing: pixels of one frame are alike, so that
/// what is known goes with the number of frames, and few frames get a cautious head. Its sums are of whole numbers
/// below 2^53, so that they are the same in any order, on any number of threads and ranks.
/// @return  Null where there is nothing to tell apart: fewer than two classes, or more maps or classes than are fitted.
std::shared_ptr<const image::LinearHead> fit_linear_head(const HeadSetting& setting, ThreadPool& pool,
                                                         Communicator* ranks);

/// Solves a system of linear equations with a symmetric, positive definite matrix by Cholesky's decomposition, which is
/// written to its lower triangle. The same bits on every processor.
/// @param matrix  [size][size] Its upper triangle is not read. @param right  [columns][size] Becomes the solutions.
void solve_positive(std::vector<double>& matrix, std::size_t size, std::vector<double>& right);

}  // namespace fernwood::train
