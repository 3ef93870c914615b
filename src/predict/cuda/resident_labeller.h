// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "predict/cuda/frame_labeller.h"

namespace fernwood::predict {

/// Labels frames that are in the memory of the current GPU, in streams of the caller. The host neither waits nor
/// allocates memory, except for the first frame and when the size changes.
class ResidentLabeller {
 public:
  /// @param gpu      The current GPU.
  /// @param options  Determine whether probabilities are interpolated.
  ResidentLabeller(const image::Preparation& preparation, const GpuStages& stages, const PredictOptions& options,
                   int gpu, GpuSteadyFusion* steady = nullptr);
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
  std::size_t rows_ = 0, cols_ = 0;  ///< Size of the previous frame.
  std::shared_ptr<const image::DepthAligner> aligner_;
  cuda::GpuBuffer<std::uint16_t> labels_;  ///< [rows][cols] if the target's rows are not contiguous.
  cuda::Event done_;                       ///< With the previous frame.
};

}  // namespace fernwood::predict
