// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "predict/cuda/frame_labeller.h"

namespace fernwood::predict {

/// A frame on its way from the host through the GPU in use and back: a stream of its own, and the memory that frame
/// after frame needs.
class FrameInFlight {
 public:
  /// @param options  Which say whether probabilities are interpolated.
  /// @param steady   As FrameLabeller's.
  FrameInFlight(const image::Preparation& preparation, GpuStages& stages, const PredictOptions& options,
                GpuSteadyFusion* steady = nullptr);
  ~FrameInFlight();
  FrameInFlight(const FrameInFlight&) = delete;
  FrameInFlight& operator=(const FrameInFlight&) = delete;

  /// Enqueues all work up to the labels. The frame may go afterwards.
  void start(const image::FrameImages& frame);
  /// Enqueues what is asked for besides labels. @param out  Has room for it, and stays until finish().
  void add(const PredictRequest& request, Prediction& out);
  /// Waits and stores the labels. @param labels  Of any size.
  void finish(image::LabelImage& labels);
  /// Of the frame finished last.
  PredictTimes times() const;

 private:
  const image::Preparation& preparation_;
  cuda::Stream stream_;
  image::FrameUpload upload_;
  image::FrameUpload guide_upload_;  ///< Of what probabilities are smoothed by: all that the frame has, as it is.
  FrameLabeller labeller_;
  std::size_t rows_ = 0, cols_ = 0;
  cuda::GpuBuffer<std::uint16_t> labels_;
  cuda::PinnedBuffer<std::uint16_t> host_labels_;
  cuda::Event started_, uploaded_, prepared_, labelled_, downloaded_;
};

}  // namespace fernwood::predict
