// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <limits>

#include "core/cuda/buffer.h"
#include "fernwood/core/array.h"
#include "image/planes_view.h"
#include "train/grow/response_plan.h"

namespace fernwood::train {

/// Where a channel's sums and counts lie in one number, and the value that sums count from.
struct PackedPlane {
  std::int16_t plane = -1, least = 0;
};

/// TrainFrame::most_packed_pixels where all pixels of all channels are known.
inline constexpr std::int32_t kNothingPacked = std::numeric_limits<std::int32_t>::max();

/// A frame in GPU memory, as the response kernel needs it.
struct TrainFrame {
  image::PlanesView view;  ///< Planes in GPU memory; plane size and stride are multiples of kWindowStep.
  PackedPlane packed[image::kMaxChannels];           ///< [channel] Of those with unknown pixels.
  std::int32_t most_packed_pixels = kNothingPacked;  ///< See most_packed_pixels(); of all channels with unknown pixels.
};

/// What all kernels that look at frames read: the samples of some of a tree's frames, which are in GPU memory now.
struct SampledFrames {
  View1<const TrainFrame> frames;        ///< [frame of the data set]
  const std::uint32_t* tree_frames;      ///< [frame of the tree] index into `frames`
  const std::uint32_t* frame_of;         ///< [S] frame order: frame of the tree
  const std::uint32_t* starts;           ///< [frame of the tree + 1] its samples in frame order
  std::uint32_t begin, end;              ///< Frames of the tree at hand.
  View1<const forest::PixelSite> sites;  ///< [S] frame order

  __device__ const TrainFrame& frame_of_sample(std::uint32_t sample) const {
    return frames[tree_frames[frame_of[sample]]];
  }
};

/// What windows must hold, and have room for.
struct WindowRoom {
  Reach reach;
  std::uint32_t capacity;  ///< Numbers of 4 bytes.

  FW_HD WindowKind kind_for(const TrainFrame& frame, const forest::PixelSite& site) const {
    return window_kind(reach, site, frame.view.rows, frame.view.cols, capacity, frame.most_packed_pixels);
  }
};

/// Samples of a frame whose windows fit into shared memory together: those of its kind in [begin, end), frame order.
struct SampleGroup {
  Window window;
  std::uint32_t begin, end;
  WindowKind kind;
};

/// Most samples of a group: they lie in shared memory beside the window.
inline constexpr std::uint32_t kMostGrouped = 256;

/// The groups of the samples at hand, and those without one, in frame order: what runs at the same time reads the same
/// frames, which the second-level cache holds a few of.
class SampleGroups {
 public:
  /// What kernels read.
  struct View {
    const SampleGroup* groups;           ///< [S] at their first sample
    const std::uint32_t *firsts, *lone;  ///< First samples of groups; samples without a group.
    const std::uint32_t *num_groups, *num_lone;
    std::uint32_t* taken;  ///< For kernels that take turns; 0.
  };

  void reserve(std::size_t num_samples);
  View find(const SampledFrames& samples, const WindowRoom& room, const cuda::Stream& stream);

 private:
  cuda::GpuBuffer<SampleGroup> groups_;
  cuda::GpuBuffer<std::uint8_t> marks_;  // [S] see group_samples.cu
  cuda::GpuBuffer<std::uint32_t> firsts_, lone_, counters_;
  cuda::Scratch scratch_;
};

}  // namespace fernwood::train
