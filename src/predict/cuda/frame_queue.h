// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "predict/cuda/frame_in_flight.h"

namespace fernwood::predict {

/// Frames in flight on one GPU, first in, first out; they share the stages of the forest.
class FrameQueue {
 public:
  FrameQueue(const forest::Forest& forest, int gpu, const PredictOptions& options, int capacity);

  int capacity() const { return capacity_; }
  int size() const { return size_; }
  /// Must not be full.
  void push(const image::Frame& frame);
  /// Must not be empty.
  image::LabelImage pop();
  /// Must be empty.
  Prediction predict(const image::Frame& frame, const PredictRequest& request);

  /// Of the frame popped or predicted last.
  const std::optional<PredictTimes>& last_times() const { return last_times_; }
  /// Of the stage that labels.
  std::string layout() const { return stages_.back().layout.name(); }

 private:
  FrameInFlight& slot(int place);
  void finish(FrameInFlight& frame, image::LabelImage& labels);

  int gpu_, capacity_;
  image::Preparation preparation_;
  std::size_t num_classes_, num_trees_;
  GpuStages stages_;
  Smoothing smoothing_;
  std::vector<std::unique_ptr<FrameInFlight>> slots_;  ///< [capacity], made when first needed
  int first_ = 0, size_ = 0;                           ///< The frames in flight, a ring.
  std::optional<PredictTimes> last_times_;
};

}  // namespace fernwood::predict
