// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "fernwood/core/array.h"
#include "fernwood/forest/forest.h"
#include "forest/planes_formulas.h"
#include "train/growing_tree.h"
#include "train/response_plan.h"

namespace fernwood::train {

/// Where a channel's sums and counts lie in one number, and the value that sums count from.
struct PackedPlane {
  std::int16_t plane = -1, least = 0;
};

/// A frame in GPU memory, as the response kernel needs it.
struct TrainFrame {
  image::PlanesView view;  ///< Planes in GPU memory; plane size and stride are multiples of kWindowStep.
  PackedPlane packed[image::kMaxChannels];  ///< [channel] Of those with unknown pixels.
  std::int32_t most_packed_pixels;          ///< See most_packed_pixels(); of all channels that have unknown pixels.
};

/// Samples of a frame whose windows fit into shared memory together.
struct SampleGroup {
  Window window;
  std::uint32_t frame;         ///< Index of its TrainFrame.
  std::uint32_t begin, count;  ///< Samples in frame order.
};

/// A sample whose window alone is too large, or that has no depth.
struct LoneSample {
  std::uint32_t sample, frame;
};

/// Most samples of a group: they lie in shared memory beside the window.
inline constexpr std::uint32_t kMostGrouped = 256;

/// What all kernels that look at frames read: the samples of some of a tree's frames, which are in GPU memory now.
struct SampledFrames {
  View1<const TrainFrame> frames;        ///< [frame of the data set]
  const std::uint32_t* tree_frames;      ///< [frame of the tree] index into `frames`
  const std::uint32_t* starts;           ///< [frame of the tree + 1] its samples in frame order
  std::uint32_t begin, end;              ///< Frames of the tree at hand.
  View1<const forest::PixelSite> sites;  ///< [S] frame order
  const std::uint32_t* rows;             ///< [S] place of a sample in node order
};

/// Stage 1 of growing a level: S samples, F features.
struct RespondArgs {
  SampledFrames samples;
  View1<const forest::RegionFeature> features;  ///< [F]
  View1<const FeatureRun> runs;
  View2<float> responses;  ///< [S][at least F], node order; rows of the frames at hand are written
  Reach reach;
  std::uint32_t window_capacity;  ///< Most numbers of a window.
};

/// Scratch memory of the stage.
struct RespondScratch {
  cuda::GpuBuffer<SampleGroup> groups;      ///< [S], in any order
  cuda::GpuBuffer<LoneSample> lone;         ///< [S]
  cuda::GpuBuffer<std::uint32_t> counters;  ///< groups found, groups taken, lone samples
  void reserve(std::size_t num_samples);
};

/// Most numbers of a window on the GPU in use.
std::uint32_t window_capacity();

/// Stage 1: the response of every sample of the frames at hand to every feature. The same bits as response().
void respond_cuda(const RespondArgs& args, RespondScratch& scratch, const cuda::Stream& stream);

/// Stage 1 where each node has features of its own.
/// @param features  [N][F]
/// @param node_of   [S] frame order
void respond_per_node_cuda(const SampledFrames& samples, View2<const forest::RegionFeature> features,
                           const std::uint32_t* node_of, View2<float> responses, const cuda::Stream& stream);

/// Responses of some samples to draw thresholds from.
struct ProbeArgs {
  SampledFrames samples;
  View2<const forest::RegionFeature> features;  ///< [sets][F]
  View1<const std::uint32_t> places;            ///< [P] in node order
  const std::uint32_t* sets;                    ///< [P]
  const std::uint32_t* frame_order;             ///< [S] node order
  const std::uint32_t* frame_of;                ///< [S] frame order: frame of the tree
  View2<float> responses;                       ///< [F][P]; columns of the frames at hand are written
};
void probe_cuda(const ProbeArgs& args, const cuda::Stream& stream);

/// Sends samples of the frames at hand down a tree. @param leaves  [S] frame order, written
void find_leaves_cuda(const SampledFrames& samples, const forest::Node* nodes, std::uint32_t* leaves,
                      const cuda::Stream& stream);

}  // namespace fernwood::train
