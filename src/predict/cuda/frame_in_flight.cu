// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/frame_labeller.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fernwood::predict {

namespace {

/// Preparation that uploads all images of the frame.
image::Preparation guide_of(const image::FrameImages& frame) {
  std::vector<std::string> sets;
  if (frame.color != nullptr) sets.emplace_back("rgb");
  if (frame.has_depth()) sets.emplace_back("depth");
  return {image::ChannelLayout(sets), image::DepthFilling::kNone};
}

}  // namespace

FrameInFlight::FrameInFlight(const image::Preparation& preparation, const GpuStages& stages,
                             const PredictOptions& options, GpuSteadyFusion* steady)
    : preparation_(preparation), labeller_(preparation, stages, options, steady) {}

FrameInFlight::~FrameInFlight() {
  cudaStreamSynchronize(stream_);  // pending work still uses the memory; a failure cannot be reported here
}

void FrameInFlight::start(const image::FrameImages& frame, bool keeps_depth) {
  stream_.synchronize();  // after a frame that failed half-way
  started_.record(stream_);
  const image::RawFrame raw = upload_.upload(frame, preparation_, stream_);
  image::RawFrame guide;
  if (labeller_.needs_guide() || keeps_depth) guide = guide_upload_.upload(frame, guide_of(frame), stream_);
  depth_mm_ = guide.depth_mm;
  rows_ = frame.rows;
  cols_ = frame.cols;
  labeller_.make_room(raw);
  labels_.resize(rows_ * cols_);
  host_labels_.resize(rows_ * cols_);
  uploaded_.record(stream_);
  labeller_.prepare(raw, stream_);
  prepared_.record(stream_);
  labeller_.label({guide.color, guide.depth_mm}, labels_.data(), stream_);
  labelled_.record(stream_);
  cuda::copy_to_host(labels_.data(), labels_.size(), host_labels_.data(), stream_);
  downloaded_.record(stream_);
}

void FrameInFlight::add(const PredictRequest& request, Prediction& out) {
  const auto download = [&](std::size_t first_class, std::size_t num_classes, const float* planes,
                            std::vector<Array2<float>>& probabilities) {
    for (std::size_t c = 0; c < num_classes; ++c)
      cuda::copy_to_host(planes + c * labels_.size(), labels_.size(), probabilities[first_class + c].data(), stream_);
  };
  if (request.probabilities)
    labeller_.compute_probabilities(stream_,
                                    [&](std::size_t first_class, std::size_t num_classes, const float* planes) {
                                      download(first_class, num_classes, planes, out.probabilities);
                                    });
  if (!request.per_tree) return;
  labeller_.find_leaves_of_pixels(stream_);
  for (std::size_t k = 0; k < out.trees.size(); ++k) {
    labeller_.label_by_tree(k, labels_.data(), stream_);
    cuda::copy_to_host(labels_.data(), labels_.size(), out.trees[k].labels.data(), stream_);
    if (!request.probabilities) continue;
    labeller_.compute_probabilities_of_tree(k, stream_,
                                            [&](std::size_t first_class, std::size_t num_classes, const float* planes) {
                                              download(first_class, num_classes, planes, out.trees[k].probabilities);
                                            });
  }
}

objects::FrameObjects FrameInFlight::find_objects(const image::FrameImages& frame, std::size_t num_classes, Device gpu,
                                                  objects::ObjectFinder& finder) {
  probabilities_.resize(num_classes * labels_.size());
  labeller_.compute_probabilities(stream_, [&](std::size_t first_class, std::size_t count, const float* planes) {
    cuda::copy_on_gpu(planes, count * labels_.size(), probabilities_.data() + first_class * labels_.size(), stream_);
  });
  image::FrameImages registered = frame;
  registered.color = nullptr;
  registered.depth_mm = depth_mm_;
  registered.depth_m = nullptr;
  registered.depth_pitch_bytes = 0;
  registered.aligner = nullptr;
  return finder.find_on_gpu(registered, {labels_.data(), probabilities_.data()}, gpu,
                            static_cast<cudaStream_t>(stream_));
}

void FrameInFlight::finish(image::LabelImage& labels) {
  // Memory is allocated while the GPU works.
  if (labels.rows() != rows_ || labels.cols() != cols_) labels = image::LabelImage(rows_, cols_);
  stream_.synchronize();
  std::copy_n(host_labels_.data(), host_labels_.size(), labels.data());
}

PredictTimes FrameInFlight::times() const {
  return {.upload = uploaded_.seconds_since(started_),
          .prepare = prepared_.seconds_since(uploaded_),
          .label = labelled_.seconds_since(prepared_),
          .download = downloaded_.seconds_since(labelled_)};
}

}  // namespace fernwood::predict
