// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <deque>
#include <string>

#include "fernwood/predict/predictor.h"
#include "image/cuda/frame_preparer.h"
#include "predict/cuda/label_stages.h"

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

/// A frame on its way through the GPU in use: a stream of its own, and the memory that frame after frame needs.
class FrameInFlight {
 public:
  /// @param options  Which say whether probabilities are interpolated.
  FrameInFlight(const image::Preparation& preparation, GpuStages& stages, const PredictOptions& options);
  ~FrameInFlight();
  FrameInFlight(const FrameInFlight&) = delete;
  FrameInFlight& operator=(const FrameInFlight&) = delete;

  /// Enqueues all work up to the labels. The frame may go afterwards.
  void start(const image::Frame& frame);
  /// Enqueues what is asked for besides labels. @param out  Has room for it, and stays until finish().
  void add(const PredictRequest& request, Prediction& out);
  /// Waits and stores the labels. @param labels  Of any size.
  void finish(image::LabelImage& labels);
  /// Of the frame finished last.
  PredictTimes times() const;

 private:
  /// Room for the leaves of any stage: it must not change while work on the frame is under way.
  std::size_t most_leaves(std::size_t pixels) const;
  /// Leaves of all trees of a stage at the pixels of a grid. @return  To sum them.
  SumArgs find_leaves(GpuStage& stage, const image::PlanesView& view, const CountedPlanes& counted,
                      const PixelGrid& grid);
  /// What a stage says of the pixels that speak for cells, into context_.
  void find_context(GpuStage& stage, const image::PlanesView& view, const CountedPlanes& counted);
  /// Context channels from a stage that does not label.
  void add_context(GpuStage& stage, const image::PlanesView& view, const CountedPlanes& counted);
  /// Leaves of trees [first, first + count) of the stage that labels.
  SumArgs sum_args(std::size_t first, std::size_t count) const;
  /// Pixels of calm cells take the leaves of those that speak for them, where the grid is coarser than pixels.
  void spread_leaves(const SumArgs& args, const image::RawFrame& raw);
  void choose_labels_of_all_trees(const SumArgs& args);
  /// Fills means_ with some classes from group `quad` on; returns how many.
  std::size_t compute_means(const SumArgs& args, std::int32_t quad, bool smooth);
  void download_probabilities(const SumArgs& args, bool smooth, std::vector<Array2<float>>& out);

  const image::Preparation& preparation_;
  GpuStages& stages_;
  cuda::Stream stream_;
  image::FrameUpload upload_;
  image::FramePreparer preparer_;
  std::int32_t rows_ = 0, cols_ = 0;
  cuda::GpuBuffer<std::uint32_t> planes_, leaves_;
  cuda::GpuBuffer<uint2> pairs_;
  cuda::GpuBuffer<std::uint8_t> context_;
  LinearTexture plane_texture_, counted_texture_;
  GpuSmoother smoother_;
  int grid_;
  bool interpolate_;
  cuda::GpuBuffer<float> means_;
  cuda::GpuBuffer<std::uint16_t> labels_;
  cuda::PinnedBuffer<std::uint16_t> host_labels_;
  cuda::Event started_, uploaded_, prepared_, labelled_, downloaded_;
};

}  // namespace fernwood::predict
