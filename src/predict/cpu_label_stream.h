// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <deque>

#include "fernwood/predict/label_stream.h"
#include "predict/cpu_predictor.h"

namespace fernwood::predict {

/// Labels each frame when it is pushed: all cores are at work on one frame already.
class CpuLabelStream : public LabelStream {
 public:
  CpuLabelStream(const forest::Forest& forest, int threads, Isa isa, const Smoothing& smoothing, int capacity);
  int capacity() const override { return capacity_; }
  int num_in_flight() const override { return static_cast<int>(labels_.size()); }
  void push(const image::Frame& frame) override;
  image::LabelImage pop() override;

 private:
  CpuPredictor predictor_;
  int capacity_;
  std::deque<image::LabelImage> labels_;
};

/// @throws Error(kUsage) for a push to a full stream, or a pop from an empty one.
void check_push(const LabelStream& stream);
void check_pop(const LabelStream& stream);

}  // namespace fernwood::predict
