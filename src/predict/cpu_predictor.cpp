// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <utility>

#include "fernwood/core/error.h"
#include "forest/leaf.h"

namespace fernwood::predict {

namespace {

/// Labels and means (thesis eq. 3.1) of the pixels from `first` on, from sums[pixel][class] over `num_trees` trees.
void store(const std::vector<float>& sums, std::size_t num_classes, float num_trees, std::size_t first,
           Prediction& out) {
  const std::size_t count = sums.size() / num_classes;
  for (std::size_t i = 0; i < count; ++i) {
    forest::BestClass best;
    for (std::size_t c = 0; c < num_classes; ++c) best.offer(static_cast<std::int32_t>(c), sums[i * num_classes + c]);
    out.labels.data()[first + i] = best.label;
  }
  for (std::size_t c = 0; c < out.probabilities.size(); ++c)
    for (std::size_t i = 0; i < count; ++i)
      out.probabilities[c].data()[first + i] = sums[i * num_classes + c] / num_trees;
}

}  // namespace

CpuPredictor::CpuPredictor(const forest::Forest& forest, int threads, Isa isa, const Smoothing& smoothing)
    : num_classes_(forest.classes.size()),
      context_(forest, isa),
      trees_(tables_of(forest, forest.labelling_trees())),
      pool_(threads),
      isa_(isa),
      kernels_(forest::respond_kernels(isa)),
      workers_(static_cast<std::size_t>(pool_.num_threads())),
      smoother_(smoothing) {}

void CpuPredictor::label_rows(const image::FrameView& frame, const GridRows& rows, const PredictRequest& request,
                              StripWorker& worker, Prediction& out) const {
  const std::size_t size = rows.size() * num_classes_;
  worker.strip.start(frame, rows.grid, rows.begin, rows.end);
  worker.sums.assign(size, 0.0f);
  for (std::size_t k = 0; k < trees_.size(); ++k) {
    if (!request.per_tree) {
      worker.strip.add_tree(frame, trees_[k], kernels_, worker.sums.data());
      continue;
    }
    worker.alone.assign(size, 0.0f);
    worker.strip.add_tree(frame, trees_[k], kernels_, worker.alone.data());
    for (std::size_t i = 0; i < size; ++i) worker.sums[i] += worker.alone[i];
    store(worker.alone, num_classes_, 1.0f, rows.first(), out.trees[k]);
  }
  store(worker.sums, num_classes_, static_cast<float>(trees_.size()), rows.first(), out);
}

Prediction CpuPredictor::predict(const image::Frame& frame, const PredictRequest& request) {
  const image::PreparedFrame prepared = context_.prepare(frame, &pool_, workers_);
  const image::FrameView view = prepared.view();
  Prediction out = empty_prediction(frame.rows(), frame.cols(), num_classes_, trees_.size(), request);
  if (smoother_.is_on()) out.probabilities.assign(num_classes_, Array2<float>(frame.rows(), frame.cols()));
  for_each_strip(every_pixel(view), num_classes_, &pool_, workers_,
                 [&](const GridRows& rows, StripWorker& worker) { label_rows(view, rows, request, worker, out); });
  if (smoother_.is_on()) smoother_.smooth(frame, request, pool_, out);
  return out;
}

CpuLabelStream::CpuLabelStream(const forest::Forest& forest, int threads, Isa isa, const Smoothing& smoothing,
                               int capacity)
    : predictor_(forest, threads, isa, smoothing), capacity_(capacity) {}

void CpuLabelStream::push(const image::Frame& frame) {
  check_push(*this);
  labels_.push_back(predictor_.predict(frame, {}).labels);
}

image::LabelImage CpuLabelStream::pop() {
  check_pop(*this);
  image::LabelImage labels = std::move(labels_.front());
  labels_.pop_front();
  return labels;
}

void check_push(const LabelStream& stream) {
  FW_CHECK(!stream.is_full(), Usage,
           "the label stream is full with " << stream.capacity() << " frames; pop labels before the next push");
}

void check_pop(const LabelStream& stream) {
  FW_CHECK(stream.num_in_flight() > 0, Usage, "the label stream is empty; push a frame before the next pop");
}

}  // namespace fernwood::predict
