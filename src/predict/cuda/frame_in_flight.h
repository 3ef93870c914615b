// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "predict/cuda/frame_labeller.h"

namespace fernwood::predict {

/// Takes one frame at a time from the host through the current GPU and back: a stream, and memory that is reused for
/// successive frames.
class FrameInFlight {
 public:
  /// @param options  Determine whether probabilities are interpolated.
  /// @param steady   See FrameLabeller.
  FrameInFlight(const image::Preparation& preparation, const GpuStages& stages, const PredictOptions& options,
                GpuSteadyFusion* steady = nullptr);
  ~FrameInFlight();
  FrameInFlight(const FrameInFlight&) = delete;
  FrameInFlight& operator=(const FrameInFlight&) = delete;

  /// Enqueues all work up to the labels. The frame may be destroyed afterwards.
  void start(const image::FrameImages& frame);
  /// Enqueues the requested output other than labels. @param out  Must be allocated, and remain valid until finish().
  void add(const PredictRequest& request, Prediction& out);
  /// Waits and stores the labels. @param labels  Resized if necessary.
  void finish(image::LabelImage& labels);
  /// Times of the last finished frame.
  PredictTimes times() const;

 private:
  const image::Preparation& preparation_;
  cuda::Stream stream_;
  image::FrameUpload upload_;
  image::FrameUpload guide_upload_;  ///< Uploads the images that guide smoothing: all that the frame has, unchanged.
  FrameLabeller labeller_;
  std::size_t rows_ = 0, cols_ = 0;
  cuda::GpuBuffer<std::uint16_t> labels_;
  cuda::PinnedBuffer<std::uint16_t> host_labels_;
  cuda::Event started_, uploaded_, prepared_, labelled_, downloaded_;
};

}  // namespace fernwood::predict
