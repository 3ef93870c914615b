// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::predict {

namespace {

/// Labels, and means (thesis eq. 3.1) over `num_trees` trees if asked for, of the pixels from `first` on.
void store(const Strip& strip, const LabelLoops& loops, std::size_t num_trees, std::size_t first, Prediction& out) {
  strip.choose_labels(loops, out.labels.data() + first);
  for (std::size_t c = 0; c < out.probabilities.size(); ++c)
    for (std::size_t i = 0; i < strip.num_pixels(); ++i)
      out.probabilities[c].data()[first + i] = strip.sums_of(i)[c] / static_cast<float>(num_trees);
}

}  // namespace

CpuPredictor::CpuPredictor(const forest::Forest& forest, int threads, const LoopChoice& choice,
                           const Smoothing& smoothing)
    : num_classes_(forest.classes.size()),
      context_(forest, choice),
      trees_(tables_of(forest, forest.labelling_trees())),
      pool_(threads),
      isa_(choice.isa),
      loops_(choice),
      strips_(static_cast<std::size_t>(pool_.num_threads())),
      smoother_(smoothing) {}

void CpuPredictor::label_rows(const image::FrameView& frame, const GridRows& rows, const PredictRequest& request,
                              Strip& strip, Prediction& out) const {
  strip.start(frame, rows.grid, rows.begin, rows.end, num_classes_);
  std::vector<float> sums;
  for (std::size_t k = 0; k < trees_.size(); ++k) {
    strip.add_tree(frame, trees_[k], loops_);
    if (!request.per_tree) continue;
    store(strip, loops_, 1, rows.first(), out.trees[k]);
    sums.resize(strip.sums().size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += strip.sums()[i];
    strip.sums().assign(sums.size(), 0.0f);
  }
  if (request.per_tree) strip.sums() = std::move(sums);
  store(strip, loops_, trees_.size(), rows.first(), out);
}

Prediction CpuPredictor::predict(const image::Frame& frame, const PredictRequest& request) {
  const image::PreparedFrame prepared = context_.prepare(frame, &pool_, strips_);
  const image::FrameView view = prepared.view();
  Prediction out = empty_prediction(frame.rows(), frame.cols(), num_classes_, trees_.size(), request);
  if (smoother_.is_on()) out.probabilities.assign(num_classes_, Array2<float>(frame.rows(), frame.cols()));
  for_each_strip(every_pixel(view), num_classes_, &pool_, strips_,
                 [&](const GridRows& rows, Strip& strip) { label_rows(view, rows, request, strip, out); });
  if (smoother_.is_on()) smoother_.smooth(frame, request, pool_, out);
  return out;
}

CpuLabelStream::CpuLabelStream(const forest::Forest& forest, int threads, const LoopChoice& choice,
                               const Smoothing& smoothing, int capacity)
    : predictor_(forest, threads, choice, smoothing), capacity_(capacity) {}

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
