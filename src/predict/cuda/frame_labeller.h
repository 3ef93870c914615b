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

/// The stages of a forest on the current GPU, in order; the last one labels. A deque, because stages cannot be moved.
using GpuStages = std::deque<GpuForest>;

/// Whether frames and nodes are read through texture objects.
inline bool reads_textures(const PredictOptions& options) { return options.layout == "texture"; }

/// Labels frames whose images are in the memory of the current GPU, one after another, and owns the memory for this.
/// Work is enqueued in the stream passed to each call; the work of a frame must not begin before that of the previous
/// frame is complete.
class FrameLabeller {
 public:
  /// @param options  Determine the layout, and whether probabilities are interpolated.
  /// @param steady   Fuses the predictions with those of previous frames; null: frames are independent.
  FrameLabeller(const image::Preparation& preparation, const GpuStages& stages, const PredictOptions& options,
                GpuSteadyFusion* steady = nullptr);

  /// Whether label() reads the unprocessed images.
  bool needs_guide() const { return smooths() || steady_ != nullptr; }

  /// Allocates memory for a frame; must precede all other work on it. Does nothing if the previous frame had the same
  /// size and completeness of depth; otherwise no work on that frame may be pending.
  void make_room(const image::RawFrame& raw);
  /// Enqueues the computation of integral images.
  void prepare(const image::RawFrame& raw, const cuda::Stream& stream);
  /// Enqueues the labels by all trees.
  /// @param guide   The unprocessed images, if needs_guide(): smoothing compares neighbours by them.
  /// @param labels  [P] in GPU memory, output.
  void label(const SmoothingGuide& guide, std::uint16_t* labels, const cuda::Stream& stream);
  /// Enqueues what label() does not do if labels are smoothed, which takes cells only: finds the leaves of all pixels,
  /// for the following functions about single trees. These are not available if probabilities are interpolated.
  void find_leaves_of_pixels(const cuda::Stream& stream);
  /// Enqueues the labels by a single tree.
  void label_by_tree(std::size_t tree, std::uint16_t* labels, const cuda::Stream& stream) const;

  /// Enqueues the probabilities by all trees, for groups of classes, and calls take(first class, number of classes,
  /// planes) for each group: copies that it enqueues read `planes`, [number][P], before the next group is written
  /// there.
  template <typename Take>
  void compute_probabilities(const cuda::Stream& stream, const Take& take) {
    compute_groups(sum_args(0, num_trees()), smooths(), stream, take);
  }
  /// As compute_probabilities() for a single tree, never smoothed.
  template <typename Take>
  void compute_probabilities_of_tree(std::size_t tree, const cuda::Stream& stream, const Take& take) {
    compute_groups(sum_args(tree, 1), false, stream, take);
  }

 private:
  /// Number of groups of four classes computed at a time: with many classes, not all of them would fit.
  static constexpr std::int32_t kQuadsAtATime = 8;

  bool smooths() const { return smoother_.is_on(); }
  const ForestView& labelling_forest() const { return stages_.back().view(); }
  std::size_t num_trees() const { return labelling_forest().trees.size; }
  /// Size of the leaf buffer for all stages: it must not be reallocated while work on the frame is pending.
  std::size_t most_leaves() const;
  /// Finds the leaves in all trees of a stage for the pixels of a grid. @return  Arguments to sum them.
  SumArgs find_leaves(const GpuForest& stage, const PixelGrid& grid, const cuda::Stream& stream);
  /// Computes a stage's probabilities for the representative pixels of cells, into context_. @param exits  See
  /// cell_steps().
  void find_context(const GpuForest& stage, bool exits, const cuda::Stream& stream);
  /// Adds context channels from a context stage.
  void add_context(const GpuForest& stage, const cuda::Stream& stream);
  /// Arguments for trees [first, first + count) of the labelling stage.
  SumArgs sum_args(std::size_t first, std::size_t count) const;
  /// Computes the means of some classes from group `quad` on into means_; returns the number of classes.
  std::size_t compute_means(const SumArgs& args, std::int32_t quad, bool smooth, const cuda::Stream& stream);

  template <typename Take>
  void compute_groups(const SumArgs& args, bool smooth, const cuda::Stream& stream, const Take& take) {
    for (std::int32_t quad = 0; quad < args.quads; quad += kQuadsAtATime) {
      const std::size_t num_classes = compute_means(args, quad, smooth, stream);
      take(4 * static_cast<std::size_t>(quad), num_classes, static_cast<const float*>(means_.data()));
    }
  }

  const image::Preparation& preparation_;
  const GpuStages& stages_;
  image::FramePreparer preparer_;
  std::int32_t rows_ = 0, cols_ = 0;
  std::size_t pixels_ = 0;
  image::PlanesView view_;
  CountedPlanes counted_;
  cuda::GpuBuffer<std::uint32_t> planes_, leaves_;
  cuda::GpuBuffer<std::int16_t> map_values_;
  cuda::GpuBuffer<uint2> pairs_;
  cuda::GpuBuffer<std::uint8_t> context_;
  cuda::GpuBuffer<CellState> states_;
  cuda::GpuBuffer<float4> sums_;
  LinearTexture plane_texture_, counted_texture_;
  GpuSmoother smoother_;
  bool by_texture_, interpolate_;
  float min_confidence_;
  GpuSteadyFusion* steady_;
  cuda::GpuBuffer<float> means_;
};

/// Takes one frame at a time from the host through the current GPU and back: a stream, and memory that is reused for
/// successive frames.
class FrameInFlight {
 public:
  /// @param options  Determine whether probabilities are interpolated.
  /// @param steady   See FrameLabeller.
  FrameInFlight(const image::Preparation& preparation, const GpuStages& stages, const PredictOptions& options,
                GpuSteadyFusion* steady = nullptr);
  ~FrameInFlight();
  FrameInFlight(const FrameInFlight&) = delete;
  FrameInFlight& operator=(const FrameInFlight&) = delete;

  /// Enqueues all work up to the labels. The frame may be destroyed afterwards.
  /// @param keeps_depth  For find_objects().
  void start(const image::FrameImages& frame, bool keeps_depth = false);
  /// Enqueues the requested output other than labels. @param out  Must be allocated, and remain valid until finish().
  void add(const PredictRequest& request, Prediction& out);
  /// Finds the objects of the frame, and waits for them.
  objects::FrameObjects find_objects(const image::FrameImages& frame, std::size_t num_classes, Device gpu,
                                     objects::ObjectFinder& finder);
  /// Waits and stores the labels. @param labels  Resized if necessary.
  void finish(image::LabelImage& labels);
  /// Times of the last finished frame.
  PredictTimes times() const;

 private:
  const image::Preparation& preparation_;
  cuda::Stream stream_;
  image::FrameUpload upload_;
  image::FrameUpload guide_upload_;  ///< Uploads the images that guide smoothing: all that the frame has, unchanged.
  FrameLabeller labeller_;
  std::size_t rows_ = 0, cols_ = 0;
  const std::uint16_t* depth_mm_ = nullptr;  ///< Of the frame, if it is kept.
  cuda::GpuBuffer<std::uint16_t> labels_;
  cuda::GpuBuffer<float> probabilities_;  ///< For find_objects().
  cuda::PinnedBuffer<std::uint16_t> host_labels_;
  cuda::Event started_, uploaded_, prepared_, labelled_, downloaded_;
};

/// Labels frames that are in the memory of the current GPU, in streams of the caller. The host neither waits nor
/// allocates memory, except for the first frame and when the size changes.
class ResidentLabeller {
 public:
  /// @param gpu      The current GPU.
  /// @param options  Determine whether probabilities are interpolated.
  ResidentLabeller(const image::Preparation& preparation, const GpuStages& stages, const PredictOptions& options,
                   int gpu, GpuSteadyFusion* steady = nullptr);
  ~ResidentLabeller();
  ResidentLabeller(const ResidentLabeller&) = delete;
  ResidentLabeller& operator=(const ResidentLabeller&) = delete;

  /// See Predictor::predict_on_device().
  void label(const image::FrameImages& frame, const PredictionTarget& target, const cuda::Stream& stream);

 private:
  void check_places(const image::FrameImages& frame, const PredictionTarget& target) const;
  void enqueue(const image::FrameImages& frame, const PredictionTarget& target, const cuda::Stream& stream);

  const image::Preparation& preparation_;
  int gpu_;
  image::FrameInPlace images_;
  FrameLabeller labeller_;
  std::size_t rows_ = 0, cols_ = 0;  ///< Size of the previous frame.
  std::shared_ptr<const image::DepthAligner> aligner_;
  cuda::GpuBuffer<std::uint16_t> labels_;  ///< [rows][cols] if the target's rows are not contiguous.
  cuda::Event done_;                       ///< With the previous frame.
};

}  // namespace fernwood::predict
