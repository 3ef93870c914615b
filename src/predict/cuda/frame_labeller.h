// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>

#include "fernwood/predict/predictor.h"
#include "image/cuda/frame_preparer.h"
#include "predict/cuda/label_stages.h"
#include "predict/cuda/steady_fusion.h"

namespace fernwood::predict {

/// A stage of a forest on the GPU in use, and how its trees are read. A layout that is named is that of all stages; for
/// "auto" each takes the one that is fastest for its own trees and pixels.
struct GpuStage {
  GpuStage(const forest::Forest& forest, std::size_t stage, const std::string& layout)
      : forest(forest, stage), layout(layout) {}

  GpuForest forest;
  LayoutChoice layout;
};

/// In order; the last one labels. A deque, for stages cannot be moved.
using GpuStages = std::deque<GpuStage>;

/// Labels frames whose images lie in the memory of the GPU in use, one after another; owns the memory that this takes.
/// Work is enqueued in the stream that each call names, and that of a frame must not begin before that of the frame
/// before is done.
class FrameLabeller {
 public:
  /// @param options  Which say whether probabilities are interpolated.
  /// @param steady   Fuses what is found with the frames before; null: each frame stands alone.
  FrameLabeller(const image::Preparation& preparation, GpuStages& stages, const PredictOptions& options,
                GpuSteadyFusion* steady = nullptr);

  /// Whether label() looks at the images as they are.
  bool needs_guide() const { return smooths() || steady_ != nullptr; }

  /// Room for a frame, to be made before any other work on it. Takes nothing and changes nothing when the frame before
  /// was of this size and as complete; otherwise no work on that may be under way any more.
  void make_room(const image::RawFrame& raw);
  /// Enqueues its integral images.
  void prepare(const image::RawFrame& raw, const cuda::Stream& stream);
  /// Enqueues its labels by all trees.
  /// @param guide   The images as they are, where needs_guide(): smoothing compares neighbours by them.
  /// @param labels  [P] in GPU memory, written.
  void label(const image::RawFrame& raw, const SmoothingGuide& guide, std::uint16_t* labels,
             const cuda::Stream& stream);
  /// Enqueues its labels by one tree alone; not where probabilities are interpolated.
  void label_by_tree(std::size_t tree, std::uint16_t* labels, const cuda::Stream& stream) const;

  /// Enqueues its probabilities by all trees, some classes at a time, and calls take(first class, number of classes,
  /// planes) for these: copies that it enqueues read `planes`, [number][P], before others are written there.
  template <typename Take>
  void compute_probabilities(const cuda::Stream& stream, const Take& take) {
    compute_groups(sum_args(0, num_trees()), smooths(), stream, take);
  }
  /// The same by one tree alone, never smoothed.
  template <typename Take>
  void compute_probabilities_of_tree(std::size_t tree, const cuda::Stream& stream, const Take& take) {
    compute_groups(sum_args(tree, 1), false, stream, take);
  }

 private:
  /// Probabilities of this many groups of four classes are computed at a time: with many classes, all would not fit.
  static constexpr std::int32_t kQuadsAtATime = 8;

  bool smooths() const { return smoother_.is_on(); }
  const ForestView& labelling_forest() const { return stages_.back().forest.view(); }
  std::size_t num_trees() const { return labelling_forest().trees.size; }
  /// Room for the leaves of any stage: it must not change while work on the frame is under way.
  std::size_t most_leaves() const;
  /// Leaves of all trees of a stage at the pixels of a grid. @return  To sum them.
  SumArgs find_leaves(GpuStage& stage, const PixelGrid& grid, const cuda::Stream& stream);
  /// What a stage says of the pixels that speak for cells, into context_.
  void find_context(GpuStage& stage, const cuda::Stream& stream);
  /// Context channels from a stage that does not label.
  void add_context(GpuStage& stage, const cuda::Stream& stream);
  /// Leaves of trees [first, first + count) of the stage that labels.
  SumArgs sum_args(std::size_t first, std::size_t count) const;
  /// Pixels of homogeneous cells take the leaves of those that speak for them, where the grid is coarser than pixels.
  /// @param labels  [P] scratch
  void spread_leaves(const SumArgs& args, const image::RawFrame& raw, std::uint16_t* labels,
                     const cuda::Stream& stream);
  void choose_labels_of_all_trees(const SumArgs& args, std::uint16_t* labels, const cuda::Stream& stream);
  /// Fills means_ with some classes from group `quad` on; returns how many.
  std::size_t compute_means(const SumArgs& args, std::int32_t quad, bool smooth, const cuda::Stream& stream);

  template <typename Take>
  void compute_groups(const SumArgs& args, bool smooth, const cuda::Stream& stream, const Take& take) {
    for (std::int32_t quad = 0; quad < args.quads; quad += kQuadsAtATime) {
      const std::size_t num_classes = compute_means(args, quad, smooth, stream);
      take(4 * static_cast<std::size_t>(quad), num_classes, static_cast<const float*>(means_.data()));
    }
  }

  const image::Preparation& preparation_;
  GpuStages& stages_;
  image::FramePreparer preparer_;
  std::int32_t rows_ = 0, cols_ = 0;
  std::size_t pixels_ = 0;
  image::PlanesView view_;
  CountedPlanes counted_;
  cuda::GpuBuffer<std::uint32_t> planes_, leaves_;
  cuda::GpuBuffer<std::int16_t> map_values_;
  cuda::GpuBuffer<uint2> pairs_;
  cuda::GpuBuffer<std::uint8_t> context_;
  LinearTexture plane_texture_, counted_texture_;
  GpuSmoother smoother_;
  int grid_;
  bool interpolate_;
  GpuSteadyFusion* steady_;
  cuda::GpuBuffer<float> means_;
};

}  // namespace fernwood::predict
