// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/frame_labeller.h"

namespace fernwood::predict {

FrameLabeller::FrameLabeller(const image::Preparation& preparation, const GpuStages& stages,
                             const PredictOptions& options, GpuSteadyFusion* steady)
    : preparation_(preparation),
      stages_(stages),
      preparer_(preparation, true),
      smoother_(options.steady ? Smoothing() : options.smoothing),
      by_texture_(reads_textures(options)),
      interpolate_(options.interpolate.value_or(false)),
      min_confidence_(options.min_confidence),
      steady_(steady) {}

void FrameLabeller::make_room(const image::RawFrame& raw) {
  rows_ = raw.rows;
  cols_ = raw.cols;
  planes_.resize(preparer_.num_sums(rows_, cols_, raw.depth_complete));
  map_values_.resize(preparer_.num_map_values(raw));
  pixels_ = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_);
  leaves_.resize(most_leaves());
}

std::size_t FrameLabeller::most_leaves() const {
  std::size_t most_trees = 0;
  for (const GpuForest& stage : stages_) most_trees = std::max(most_trees, stage.view().trees.size);
  return most_trees * pixels_;
}

void FrameLabeller::prepare(const image::RawFrame& raw, const cuda::Stream& stream) {
  view_ = preparer_.prepare(raw, planes_.data(), map_values_.data(), stream);
  counted_ = pair_planes(view_, preparation_.channels.num_channels(), pairs_, stream);
}

void FrameLabeller::label(const SmoothingGuide& guide, std::uint16_t* labels, const cuda::Stream& stream) {
  for (std::size_t s = 0; s + 1 < stages_.size(); ++s) add_context(stages_[s], stream);
  const GpuForest& stage = stages_.back();
  const ForestView& forest = stage.view();
  if (!interpolate_ && !smooths())
    return choose_labels(find_leaves(stage, every_pixel(view_), stream), min_confidence_, labels, stream);
  find_context(stage, true, stream);
  if (steady_)
    steady_->fuse(guide, context_.data(), stream);
  else
    refine_cells(rows_, cols_, context_.data(), forest.num_classes, states_, stream);
  if (smooths())
    smoother_.label({guide, rows_, cols_}, context_.data(), forest.num_classes, forest.weigh_smoothed, min_confidence_,
                    labels, stream);
  else
    choose_interpolated({context_.data(), rows_, cols_}, forest.num_classes, forest.weigh_plain, min_confidence_,
                        labels, stream);
}

void FrameLabeller::find_leaves_of_pixels(const cuda::Stream& stream) {
  if (smooths()) find_leaves(stages_.back(), every_pixel(view_), stream);
}

SumArgs FrameLabeller::find_leaves(const GpuForest& stage, const PixelGrid& grid, const cuda::Stream& stream) {
  if (by_texture_) {
    plane_texture_.show(planes_.data(), planes_.size(), 1);
    counted_texture_.show(pairs_.data(), pairs_.size(), 2);
  }
  const ForestView& forest = stage.view();
  const std::size_t num_trees = forest.trees.size;
  const std::size_t num_pixels = static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.cols);
  predict::find_leaves({.frame = view_,
                        .counted = counted_,
                        .plane_texture = plane_texture_.object(),
                        .counted_texture = counted_texture_.object(),
                        .forest = forest,
                        .grid = grid,
                        .leaves = {leaves_.data(), num_trees, num_pixels}},
                       by_texture_, stream);
  return {{leaves_.data(), num_trees, num_pixels},
          forest.probabilities,
          forest.quads,
          forest.num_classes,
          forest.kind,
          forest.correct_sums};
}

void FrameLabeller::find_context(const GpuForest& stage, bool exits, const cuda::Stream& stream) {
  const SumArgs sums = find_leaves(stage, context_grid(view_), stream);
  context_.resize(4 * static_cast<std::size_t>(sums.quads) * sums.leaves.cols);
  cell_steps(sums, exits, sums_, context_.data(), stream);
}

void FrameLabeller::add_context(const GpuForest& stage, const cuda::Stream& stream) {
  find_context(stage, false, stream);
  const auto first = static_cast<std::size_t>(preparation_.channels.context_channel());
  image::context_planes({.layout = view_,
                         .maps = context_.data(),
                         .planes = planes_.data() + first * static_cast<std::size_t>(view_.plane_size),
                         .num_classes = preparation_.channels.num_context()},
                        stream);
}

SumArgs FrameLabeller::sum_args(std::size_t first, std::size_t count) const {
  const ForestView& forest = labelling_forest();
  return {{leaves_.data() + first * pixels_, count, pixels_},
          forest.probabilities,
          forest.quads,
          forest.num_classes,
          forest.kind,
          forest.correct_sums};
}

void FrameLabeller::label_by_tree(std::size_t tree, std::uint16_t* labels, const cuda::Stream& stream) const {
  choose_labels(sum_args(tree, 1), 0, labels, stream);
}

std::size_t FrameLabeller::compute_means(const SumArgs& args, std::int32_t quad, bool smooth,
                                         const cuda::Stream& stream) {
  const std::int32_t count = std::min(kQuadsAtATime, args.quads - quad);
  const std::int32_t num_classes = std::min(4 * count, labelling_forest().num_classes - 4 * quad);
  means_.resize(4 * static_cast<std::size_t>(count) * pixels_);
  if (smooth)
    smoother_.compute_probabilities(4 * quad, num_classes, means_.data(), stream);
  else if (interpolate_)
    interpolate({context_.data(), rows_, cols_}, 4 * quad, num_classes, means_.data(), stream);
  else
    mean_probabilities(args, quad, count, means_.data(), stream);
  return static_cast<std::size_t>(num_classes);
}

}  // namespace fernwood::predict
