// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <algorithm>
#include <span>
#include <utility>

#include "fernwood/core/error.h"
#include "predict/calm_cells.h"

namespace fernwood::predict {

namespace {

/// Labels, and means (thesis eq. 3.1) if asked for, of some trees and the pixels from `first_pixel` on.
void store(Strip& strip, std::span<const TreeTables> trees, std::size_t first_tree, std::size_t num_classes,
           const LabelLoops& loops, std::size_t first_pixel, Prediction& out) {
  const std::size_t stride = padded_classes(num_classes);
  const auto num_trees = static_cast<float>(trees.size());
  strip.sum(trees, first_tree, num_classes, loops, [&](std::size_t first, std::size_t count, const float* sums) {
    loops.strip.choose(sums, num_classes, count, out.labels.data() + first_pixel + first);
    for (std::size_t c = 0; c < out.probabilities.size(); ++c)
      for (std::size_t i = 0; i < count; ++i)
        out.probabilities[c].data()[first_pixel + first + i] = sums[i * stride + c] / num_trees;
  });
}

}  // namespace

CpuPredictor::CpuPredictor(const forest::Forest& forest, int threads, const LoopChoice& choice,
                           const Smoothing& smoothing, int grid)
    : num_classes_(forest.classes.size()),
      preparation_(forest.preparation),
      context_(forest, choice),
      trees_(tables_of(forest, forest.labelling_trees())),
      pool_(threads),
      isa_(choice.isa),
      loops_(choice),
      strips_(static_cast<std::size_t>(pool_.num_threads())),
      smoother_(smoothing),
      grid_(grid) {}

void CpuPredictor::find_calm_cells(const image::Frame& frame, const image::FrameView& view) {
  const PixelGrid grid = grid_of(view, grid_);
  const auto num_cells = static_cast<std::size_t>(grid.rows * grid.cols);
  cells_.grid = grid;
  cells_.calm.resize(num_cells);
  cells_.leaves.resize(trees_.size() * num_cells);
  image::LabelImage labels(static_cast<std::size_t>(grid.rows), static_cast<std::size_t>(grid.cols));
  for_each_strip(grid, &pool_, strips_, [&](const GridRows& rows, Strip& strip) {
    strip.start(view, grid, rows.begin, rows.end);
    strip.find_leaves(view, trees_, loops_);
    strip.choose_labels(trees_, num_classes_, loops_, labels.data() + rows.first());
    for (std::size_t k = 0; k < trees_.size(); ++k)
      std::copy_n(strip.leaves(k), rows.size(), cells_.leaves.data() + k * num_cells + rows.first());
  });
  const EdgeImages images = edge_images(preparation_, frame.color.data(), frame.depth_mm.data(), view.rows, view.cols);
  pool_.for_each(labels.rows(), [&](std::size_t row, int) {
    for (std::size_t col = 0; col < labels.cols(); ++col)
      cells_.calm[row * labels.cols() + col] =
          is_calm(images, grid, static_cast<std::int32_t>(row), static_cast<std::int32_t>(col),
                  [&](std::int32_t r, std::int32_t c) { return labels.data()[r * grid.cols + c]; });
  });
}

void CpuPredictor::label_rows(const image::FrameView& frame, const GridRows& rows, const PredictRequest& request,
                              Strip& strip, Prediction& out) const {
  strip.start(frame, rows.grid, rows.begin, rows.end, grid_ > 1 ? &cells_ : nullptr);
  strip.find_leaves(frame, trees_, loops_);
  store(strip, trees_, 0, num_classes_, loops_, rows.first(), out);
  if (!request.per_tree) return;
  for (std::size_t k = 0; k < trees_.size(); ++k)
    store(strip, {&trees_[k], 1}, k, num_classes_, loops_, rows.first(), out.trees[k]);
}

Prediction CpuPredictor::predict(const image::Frame& frame, const PredictRequest& request) {
  const image::PreparedFrame prepared = context_.prepare(frame, &pool_, strips_);
  const image::FrameView view = prepared.view();
  if (grid_ > 1) find_calm_cells(frame, view);
  Prediction out = empty_prediction(frame.rows(), frame.cols(), num_classes_, trees_.size(), request);
  if (smoother_.is_on()) out.probabilities.assign(num_classes_, Array2<float>(frame.rows(), frame.cols()));
  for_each_strip(every_pixel(view), &pool_, strips_,
                 [&](const GridRows& rows, Strip& strip) { label_rows(view, rows, request, strip, out); });
  if (smoother_.is_on()) smoother_.smooth(frame, request, pool_, out);
  return out;
}

CpuLabelStream::CpuLabelStream(const forest::Forest& forest, int threads, const LoopChoice& choice,
                               const Smoothing& smoothing, int grid, int capacity)
    : predictor_(forest, threads, choice, smoothing, grid), capacity_(capacity) {}

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
