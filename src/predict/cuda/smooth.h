// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/predict/predictor.h"
#include "image/cuda/frame_preparer.h"
#include "predict/smoothing.h"

namespace fernwood::predict {

/// Smooths class probabilities on the GPU in use, bit for bit like Smoother, for one stream.
class GpuSmoother {
 public:
  explicit GpuSmoother(const Smoothing& smoothing);
  bool is_on() const { return on_; }

  /// Enqueues what a frame's probabilities are smoothed by; nothing when off. The frame may go afterwards; the next one
  /// must not come before the stream has passed this one.
  void start(const image::Frame& frame, const cuda::Stream& stream);
  /// Enqueues the smoothing of some classes of the frame. @param planes  [num_planes][P], changed.
  void smooth(float* planes, std::size_t num_planes, const cuda::Stream& stream) const;
  /// Enqueues the choice of labels by some classes, which come in order from class 0 on.
  /// @param planes  [num_planes][P] of classes from `first_class` on.
  /// @param labels  [P], written; not to be touched between the first classes and the last.
  void choose_labels(const float* planes, std::size_t num_planes, std::int32_t first_class, std::uint16_t* labels,
                     const cuda::Stream& stream);

 private:
  bool on_;
  std::int32_t rows_ = 0, cols_ = 0;
  image::FrameUpload upload_;
  cuda::GpuBuffer<LinkTables> tables_;  ///< One.
  cuda::GpuBuffer<float> left_,
      up_;                          ///< [kSmoothingRuns][P] weights of the links to the left and upper neighbour, or 0.
  cuda::GpuBuffer<float> highest_;  ///< [P] the probability of the label chosen so far.
};

}  // namespace fernwood::predict
