// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "predict/cuda/frame_labeller.h"

namespace fernwood::predict {

/// Labels frames that lie on the GPU in use, in streams of the caller's. The host neither waits nor takes memory, but
/// for the first frame and for one of another size than the frame before.
class ResidentLabeller {
 public:
  /// @param gpu      The GPU in use.
  /// @param options  Which say whether probabilities are interpolated.
  ResidentLabeller(const image::Preparation& preparation, GpuStages& stages, const PredictOptions& options, int gpu,
                   GpuSteadyFusion* steady = nullptr);
  ~ResidentLabeller();
  ResidentLabeller(const ResidentLabeller&) = delete;
  ResidentLabeller& operator=(const ResidentLabeller&) = delete;

  /// See Predictor::predict_on_device().
  void label(const image::FrameImages& frame, const PredictionTarget& target, const cuda::Stream& stream);

 private:
  void check_places(const image::FrameImages& frame, const PredictionTarget& target) const;
  void enqueue(const image::FrameImages& frame, const PredictionTarget& target, const cuda::Stream& stream);

  const image::Preparation& preparation_;
  int gpu_;
  image::FrameInPlace images_;
  FrameLabeller labeller_;
  std::size_t rows_ = 0, cols_ = 0;  ///< Of the frame before.
  std::shared_ptr<const image::DepthAligner> aligner_;
  cuda::GpuBuffer<std::uint16_t> labels_;  ///< [rows][cols] where the target's rows do not follow each other.
  cuda::Event done_;                       ///< With the frame before.
};

}  // namespace fernwood::predict
