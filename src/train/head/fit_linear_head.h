// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::train {

/// Maximum number of feature maps for which a head is fitted: time grows with its square.
inline constexpr int kMaxFittedMaps = 2048;

/// Pixel values and classes of a frame, from which a head is fitted.
struct HeadSamples {
  std::vector<std::int16_t> values;   ///< [pixel][map]
  std::vector<std::uint16_t> labels;  ///< [pixel]
};

/// Fits a linear classifier on feature maps by ridge regression (Hoerl and Kennard 1970): one score per class, with
/// target 1 at its pixels and 0 elsewhere, on pixels drawn from all frames. Classes are weighted by the cube root of
/// their rarity. The penalty is equivalent to kFramesOfDoubt additional frames with uninformative maps: pixels of one
/// frame are similar, so information grows with the number of frames, and few frames are regularised more. All sums are
/// whole numbers below 2^53, so they do not depend on the order of summation or the number of threads and ranks.
class LinearHeadFit {
 public:
  /// @param preparation  Without a head; its features may read maps. Must outlive the object, and have the ranges of
  ///                     supplied maps before the first add().
  LinearHeadFit(const dataset::Dataset& dataset, const image::Preparation& preparation,
                std::vector<std::string> classes, std::uint64_t seed);

  /// Draws pixels of a frame. Any thread; once per frame that this rank reads. @return  The maps that it computed.
  image::FeatureMaps add(std::size_t index, const dataset::LabelledFrame& read);
  /// @param class_pixels  [class] Number of pixels in the whole data set.
  /// @return  Null for fewer than two classes, or for more maps or classes than can be fitted.
  std::shared_ptr<const image::LinearHead> fit(const std::vector<std::uint64_t>& class_pixels, ThreadPool& pool,
                                               Communicator* ranks) const;

 private:
  const dataset::Dataset& dataset_;
  const image::Preparation& preparation_;
  const std::vector<std::string> classes_;
  const std::uint64_t seed_;
  std::size_t most_ = 0;              // pixels of a frame; 0: no head can be fitted
  std::vector<HeadSamples> samples_;  // [frame]
};

/// Solves a system of linear equations with a symmetric, positive definite matrix by Cholesky decomposition, which
/// overwrites the lower triangle. Bit-identical on every processor.
/// @param matrix  [size][size] The upper triangle is not read. @param right  [columns][size] Replaced by the solutions.
void solve_positive(std::vector<double>& matrix, std::size_t size, std::vector<double>& right);

}  // namespace fernwood::train
