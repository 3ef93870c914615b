// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/frame_queue.h"

#include "fernwood/core/error.h"
#include "predict/cpu_predictor.h"

namespace fernwood::predict {

FrameQueue::FrameQueue(const forest::Forest& forest, int gpu, const PredictOptions& options, int capacity)
    : gpu_(gpu),
      capacity_(capacity),
      preparation_(forest.preparation),
      num_classes_(forest.classes.size()),
      num_trees_(forest.trees.size()),
      smoothing_(options.smoothing),
      slots_(static_cast<std::size_t>(capacity)) {
  cuda::use_gpu(gpu_);
  for (std::size_t s = 0; s < forest.num_stages(); ++s) stages_.emplace_back(forest, s, options.layout);
}

FrameInFlight& FrameQueue::slot(int place) {
  std::unique_ptr<FrameInFlight>& slot = slots_[static_cast<std::size_t>(place % capacity_)];
  if (!slot) slot = std::make_unique<FrameInFlight>(preparation_, stages_, smoothing_);
  return *slot;
}

void FrameQueue::finish(FrameInFlight& frame, image::LabelImage& labels) {
  frame.finish(labels);
  last_times_ = frame.times();
}

void FrameQueue::push(const image::Frame& frame) {
  cuda::use_gpu(gpu_);
  slot(first_ + size_).start(frame);
  ++size_;
}

image::LabelImage FrameQueue::pop() {
  cuda::use_gpu(gpu_);
  FrameInFlight& oldest = slot(first_);
  first_ = (first_ + 1) % capacity_;
  --size_;
  image::LabelImage labels;
  finish(oldest, labels);
  return labels;
}

Prediction FrameQueue::predict(const image::Frame& frame, const PredictRequest& request) {
  cuda::use_gpu(gpu_);
  first_ = 0;  // so that a predictor that is never given several frames has memory for one alone
  FrameInFlight& only = slot(first_);
  only.start(frame);
  Prediction out = empty_prediction(frame.rows(), frame.cols(), num_classes_, num_trees_, request);
  only.add(request, out);
  finish(only, out.labels);
  return out;
}

}  // namespace fernwood::predict
