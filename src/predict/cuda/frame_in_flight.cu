// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/frame_in_flight.h"

#include <algorithm>

namespace fernwood::predict {

namespace {

/// Probabilities of this many classes are computed at a time: with many classes, all would not fit.
constexpr std::int32_t kQuadsAtATime = 8;

}  // namespace

FrameInFlight::FrameInFlight(const image::Preparation& preparation, GpuStages& stages, const PredictOptions& options)
    : preparation_(preparation),
      stages_(stages),
      preparer_(preparation, true),
      smoother_(options.smoothing),
      grid_(options.grid),
      interpolate_(options.interpolate.value_or(false)) {}

FrameInFlight::~FrameInFlight() {
  cudaStreamSynchronize(stream_);  // work under way still uses the memory; a failure is nobody's to hear here
}

void FrameInFlight::start(const image::Frame& frame) {
  stream_.synchronize();  // of a frame that failed half-way
  started_.record(stream_);
  const image::RawFrame raw = upload_.upload(frame, preparation_, stream_);
  smoother_.start(frame, stream_);
  rows_ = raw.rows;
  cols_ = raw.cols;
  const auto pixels = frame.rows() * frame.cols();
  planes_.resize(preparer_.num_sums(rows_, cols_, raw.depth_complete));
  leaves_.resize(most_leaves(pixels));
  labels_.resize(pixels);
  host_labels_.resize(pixels);
  uploaded_.record(stream_);
  const image::PlanesView view = preparer_.prepare(raw, planes_.data(), stream_);
  const CountedPlanes counted = pair_planes(view, preparation_.channels.num_channels(), pairs_, stream_);
  prepared_.record(stream_);
  for (std::size_t s = 0; s + 1 < stages_.size(); ++s) add_context(stages_[s], view, counted);
  if (interpolate_) {
    find_context(stages_.back(), view, counted);
    choose_labels_of_all_trees(sum_args(0, 0));
  } else {
    const SumArgs sums = find_leaves(stages_.back(), view, counted, every_pixel(view));
    if (grid_ > 1) spread_leaves(sums, raw);
    choose_labels_of_all_trees(sums);
  }
  labelled_.record(stream_);
  cuda::copy_to_host(labels_.data(), labels_.size(), host_labels_.data(), stream_);
  downloaded_.record(stream_);
}

std::size_t FrameInFlight::most_leaves(std::size_t pixels) const {
  std::size_t most_trees = 0;
  for (const GpuStage& stage : stages_) most_trees = std::max(most_trees, stage.forest.view().trees.size);
  return most_trees * pixels;
}

SumArgs FrameInFlight::find_leaves(GpuStage& stage, const image::PlanesView& view, const CountedPlanes& counted,
                                   const PixelGrid& grid) {
  plane_texture_.show(planes_.data(), planes_.size(), 1);
  counted_texture_.show(pairs_.data(), pairs_.size(), 2);
  const ForestView& forest = stage.forest.view();
  const std::size_t num_trees = forest.trees.size;
  const std::size_t num_pixels = static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.cols);
  stage.layout.find_leaves({.frame = view,
                            .counted = counted,
                            .plane_texture = plane_texture_.object(),
                            .counted_texture = counted_texture_.object(),
                            .forest = forest,
                            .grid = grid,
                            .leaves = {leaves_.data(), num_trees, num_pixels}},
                           stream_);
  return {{leaves_.data(), num_trees, num_pixels},
          forest.probabilities,
          forest.quads,
          forest.num_classes,
          forest.kind,
          forest.weigh_sums};
}

void FrameInFlight::find_context(GpuStage& stage, const image::PlanesView& view, const CountedPlanes& counted) {
  const SumArgs sums = find_leaves(stage, view, counted, context_grid(view));
  context_.resize(4 * static_cast<std::size_t>(sums.quads) * sums.leaves.cols);
  mean_steps(sums, context_.data(), stream_);
}

void FrameInFlight::add_context(GpuStage& stage, const image::PlanesView& view, const CountedPlanes& counted) {
  find_context(stage, view, counted);
  const auto first = static_cast<std::size_t>(preparation_.channels.context_channel());
  image::context_planes({.layout = view,
                         .maps = context_.data(),
                         .planes = planes_.data() + first * static_cast<std::size_t>(view.plane_size),
                         .num_classes = preparation_.channels.num_context()},
                        stream_);
}

void FrameInFlight::spread_leaves(const SumArgs& args, const image::RawFrame& raw) {
  choose_labels(args, labels_.data(), stream_);
  predict::spread_leaves({.images = edge_images(preparation_, raw.color, raw.depth_mm, rows_, cols_),
                          .grid = grid_of(raw, grid_),
                          .labels = labels_.data(),
                          .leaves = {leaves_.data(), args.leaves.rows, args.leaves.cols}},
                         stream_);
}

SumArgs FrameInFlight::sum_args(std::size_t first, std::size_t count) const {
  const ForestView& forest = stages_.back().forest.view();
  return {{leaves_.data() + first * labels_.size(), count, labels_.size()},
          forest.probabilities,
          forest.quads,
          forest.num_classes,
          forest.kind,
          forest.weigh_sums};
}

void FrameInFlight::choose_labels_of_all_trees(const SumArgs& args) {
  const ForestView& forest = stages_.back().forest.view();
  if (!smoother_.is_on() && interpolate_)
    return choose_interpolated({context_.data(), rows_, cols_}, args.num_classes, forest.weigh_plain, labels_.data(),
                               stream_);
  if (!smoother_.is_on()) return choose_labels(args, labels_.data(), stream_);
  for (std::int32_t quad = 0; quad < args.quads; quad += kQuadsAtATime) {
    const std::size_t num_classes = compute_means(args, quad, true);
    smoother_.choose_labels(means_.data(), num_classes, 4 * quad, forest.weigh_smoothed, labels_.data(), stream_);
  }
}

void FrameInFlight::add(const PredictRequest& request, Prediction& out) {
  const std::size_t num_trees = stages_.back().forest.view().trees.size;
  if (request.probabilities) download_probabilities(sum_args(0, num_trees), smoother_.is_on(), out.probabilities);
  if (!request.per_tree) return;
  for (std::size_t k = 0; k < num_trees; ++k) {
    choose_labels(sum_args(k, 1), labels_.data(), stream_);
    cuda::copy_to_host(labels_.data(), labels_.size(), out.trees[k].labels.data(), stream_);
    if (request.probabilities) download_probabilities(sum_args(k, 1), false, out.trees[k].probabilities);
  }
}

std::size_t FrameInFlight::compute_means(const SumArgs& args, std::int32_t quad, bool smooth) {
  const std::int32_t count = std::min(kQuadsAtATime, args.quads - quad);
  means_.resize(4 * static_cast<std::size_t>(count) * labels_.size());
  if (interpolate_)
    interpolate({context_.data(), rows_, cols_}, 4 * quad, 4 * count, means_.data(), stream_);
  else
    mean_probabilities(args, quad, count, means_.data(), stream_);
  const auto num_classes =
      static_cast<std::size_t>(std::min(4 * count, stages_.back().forest.view().num_classes - 4 * quad));
  if (smooth) smoother_.smooth(means_.data(), num_classes, stream_);
  return num_classes;
}

void FrameInFlight::download_probabilities(const SumArgs& args, bool smooth, std::vector<Array2<float>>& out) {
  const std::size_t pixels = labels_.size();
  for (std::int32_t quad = 0; quad < args.quads; quad += kQuadsAtATime) {
    const std::size_t num_classes = compute_means(args, quad, smooth);
    for (std::size_t c = 0; c < num_classes; ++c)
      cuda::copy_to_host(means_.data() + c * pixels, pixels, out[4 * static_cast<std::size_t>(quad) + c].data(),
                         stream_);
  }
}

void FrameInFlight::finish(image::LabelImage& labels) {
  const auto rows = static_cast<std::size_t>(rows_), cols = static_cast<std::size_t>(cols_);
  // Room is made while the GPU works.
  if (labels.rows() != rows || labels.cols() != cols) labels = image::LabelImage(rows, cols);
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
