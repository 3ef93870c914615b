// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/gpu_predictor.h"

#include <memory>
#include <string>
#include <vector>

#include "predict/cpu_predictor.h"
#include "predict/cuda/frame_labeller.h"

namespace fernwood::predict {

namespace {

constexpr int kBatchedFrames = 3;  // one is uploaded, one labelled, one downloaded

/// Frames in flight on one GPU, first in, first out; they share the stages of the forest.
class FrameQueue {
 public:
  FrameQueue(const forest::Forest& forest, int gpu, const PredictOptions& options, int capacity);

  int capacity() const { return capacity_; }
  int size() const { return size_; }
  /// Requires that the queue is not full.
  void push(const image::FrameImages& frame, bool keeps_depth = false);
  /// Requires that the queue is not empty.
  image::LabelImage pop();
  /// Requires that the queue is empty.
  Prediction predict(const image::FrameImages& frame, const PredictRequest& request);
  /// Independent of frames in flight: it has its own memory.
  void predict_on_device(const image::FrameImages& frame, const PredictionTarget& target, cudaStream_t stream);

  bool predicts_on_device() const { return preparation_.depth_filling != image::DepthFilling::kColorized; }

  /// Times of the frame popped or predicted last.
  const std::optional<PredictTimes>& last_times() const { return last_times_; }
  std::optional<SteadyFrame> last_steady() const { return steady_ ? std::optional(steady_->last()) : std::nullopt; }
  std::string layout() const { return reads_textures(options_) ? "texture" : "l1"; }
  Device device() const { return {gpu_}; }

 private:
  FrameInFlight& slot(int place);
  void finish(FrameInFlight& frame, image::LabelImage& labels);

  int gpu_, capacity_;
  image::Preparation preparation_;
  std::size_t num_classes_, num_trees_;
  GpuStages stages_;
  PredictOptions options_;
  std::unique_ptr<GpuSteadyFusion> steady_;            ///< Or null.
  std::vector<std::unique_ptr<FrameInFlight>> slots_;  ///< [capacity], created when first needed
  int first_ = 0, size_ = 0;                           ///< Ring buffer of the frames in flight.
  std::unique_ptr<ResidentLabeller> resident_;         ///< Created when first needed.
  std::optional<PredictTimes> last_times_;
};

FrameQueue::FrameQueue(const forest::Forest& forest, int gpu, const PredictOptions& options, int capacity)
    : gpu_(gpu),
      capacity_(capacity),
      preparation_(forest.preparation),
      num_classes_(forest.classes.size()),
      num_trees_(forest.labelling_trees().size()),
      options_(options),
      slots_(static_cast<std::size_t>(capacity)) {
  options_.interpolate = options.interpolates(forest.kind);
  if (options.steady)
    steady_ = std::make_unique<GpuSteadyFusion>(options, keyframe_interval(preparation_), num_classes_);
  cuda::use_gpu(gpu_);
  for (std::size_t s = 0; s < forest.num_stages(); ++s) stages_.emplace_back(forest, s, reads_textures(options));
}

FrameInFlight& FrameQueue::slot(int place) {
  std::unique_ptr<FrameInFlight>& slot = slots_[static_cast<std::size_t>(place % capacity_)];
  if (!slot) slot = std::make_unique<FrameInFlight>(preparation_, stages_, options_, steady_.get());
  return *slot;
}

void FrameQueue::finish(FrameInFlight& frame, image::LabelImage& labels) {
  frame.finish(labels);
  last_times_ = frame.times();
}

void FrameQueue::push(const image::FrameImages& frame, bool keeps_depth) {
  cuda::use_gpu(gpu_);
  if (steady_) steady_->start(frame);
  slot(first_ + size_).start(frame, keeps_depth);
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

Prediction FrameQueue::predict(const image::FrameImages& frame, const PredictRequest& request) {
  check_request(request, *options_.interpolate);
  cuda::use_gpu(gpu_);
  first_ = 0;  // so that a predictor that only gets single frames allocates memory for one
  push(frame, request.objects != nullptr);
  FrameInFlight& only = slot(first_);
  size_ = 0;
  Prediction out = empty_prediction(frame.rows, frame.cols, num_classes_, num_trees_, request);
  if (request.objects != nullptr) out.objects = only.find_objects(frame, num_classes_, Device{gpu_}, *request.objects);
  only.add(request, out);
  finish(only, out.labels);
  return out;
}

void FrameQueue::predict_on_device(const image::FrameImages& frame, const PredictionTarget& target,
                                   cudaStream_t stream) {
  const cuda::ScopedGpu use(gpu_);
  if (!resident_) resident_ = std::make_unique<ResidentLabeller>(preparation_, stages_, options_, gpu_, steady_.get());
  if (steady_) steady_->start(frame);
  resident_->label(frame, target, cuda::Stream::borrowed(stream));
}

class GpuPredictor : public Predictor {
 public:
  GpuPredictor(const forest::Forest& forest, int gpu, const PredictOptions& options)
      : queue_(forest, gpu, options, kBatchedFrames) {}

  Prediction predict(const image::FrameImages& frame, const PredictRequest& request) override {
    return queue_.predict(frame, request);
  }
  bool predicts_on_device() const override { return queue_.predicts_on_device(); }
  void predict_on_device(const image::FrameImages& frame, const PredictionTarget& target, void* stream) override {
    queue_.predict_on_device(frame, target, static_cast<cudaStream_t>(stream));
  }
  Device device() const override { return queue_.device(); }
  std::vector<image::LabelImage> label(std::span<const image::Frame> frames) override {
    while (queue_.size() > 0) queue_.pop();  // frames left by a call that failed
    std::vector<image::LabelImage> labels;
    for (const image::Frame& frame : frames) {
      if (queue_.size() == queue_.capacity()) labels.push_back(queue_.pop());
      queue_.push(frame);
    }
    while (queue_.size() > 0) labels.push_back(queue_.pop());
    return labels;
  }
  std::optional<PredictTimes> last_times() const override { return queue_.last_times(); }
  std::optional<SteadyFrame> last_steady() const override { return queue_.last_steady(); }
  std::string layout() const override { return queue_.layout(); }

 private:
  FrameQueue queue_;
};

class GpuLabelStream : public LabelStream {
 public:
  GpuLabelStream(const forest::Forest& forest, int gpu, const PredictOptions& options, int capacity)
      : queue_(forest, gpu, options, capacity) {}

  int capacity() const override { return queue_.capacity(); }
  int num_in_flight() const override { return queue_.size(); }
  void push(const image::FrameImages& frame) override {
    check_push(*this);
    queue_.push(frame);
  }
  image::LabelImage pop() override {
    check_pop(*this);
    return queue_.pop();
  }
  std::optional<PredictTimes> last_times() const override { return queue_.last_times(); }

 private:
  FrameQueue queue_;
};

}  // namespace

std::unique_ptr<Predictor> make_gpu_predictor(const forest::Forest& forest, int gpu, const PredictOptions& options) {
  return std::make_unique<GpuPredictor>(forest, gpu, options);
}

std::unique_ptr<LabelStream> make_gpu_label_stream(const forest::Forest& forest, int gpu, const PredictOptions& options,
                                                   int frames_in_flight) {
  return std::make_unique<GpuLabelStream>(forest, gpu, options, frames_in_flight);
}

}  // namespace fernwood::predict
