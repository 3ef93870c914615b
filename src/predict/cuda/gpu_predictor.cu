// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/gpu_predictor.h"

#include "predict/cpu_predictor.h"
#include "predict/cuda/frame_queue.h"

namespace fernwood::predict {

namespace {

constexpr int kBatchedFrames = 3;  // one uploading, one labelled, one downloading

class GpuPredictor : public Predictor {
 public:
  GpuPredictor(const forest::Forest& forest, int gpu, const PredictOptions& options)
      : queue_(forest, gpu, options, kBatchedFrames) {}

  Prediction predict(const image::Frame& frame, const PredictRequest& request) override {
    return queue_.predict(frame, request);
  }
  std::vector<image::LabelImage> label(std::span<const image::Frame> frames) override {
    while (queue_.size() > 0) queue_.pop();  // of frames before one that failed
    std::vector<image::LabelImage> labels;
    for (const image::Frame& frame : frames) {
      if (queue_.size() == queue_.capacity()) labels.push_back(queue_.pop());
      queue_.push(frame);
    }
    while (queue_.size() > 0) labels.push_back(queue_.pop());
    return labels;
  }
  std::optional<PredictTimes> last_times() const override { return queue_.last_times(); }
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
  void push(const image::Frame& frame) override {
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

std::vector<std::string> gpu_layouts(forest::ForestKind kind) {
  std::vector<std::string> names;
  for (const LayoutName& known : layout_names())
    if (kind == forest::ForestKind::kForest || !reads_packed_nodes(known.layout)) names.emplace_back(known.name);
  return names;
}

std::unique_ptr<Predictor> make_gpu_predictor(const forest::Forest& forest, int gpu, const PredictOptions& options) {
  return std::make_unique<GpuPredictor>(forest, gpu, options);
}

std::unique_ptr<LabelStream> make_gpu_label_stream(const forest::Forest& forest, int gpu, const PredictOptions& options,
                                                   int frames_in_flight) {
  return std::make_unique<GpuLabelStream>(forest, gpu, options, frames_in_flight);
}

}  // namespace fernwood::predict
