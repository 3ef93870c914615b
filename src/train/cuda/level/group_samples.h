// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <limits>

#include "core/cuda/buffer.h"
#include "fernwood/core/array.h"
#include "image/planes_view.h"
#include "train/grow/response_plan.h"

namespace fernwood::train {

/// Index of the plane with packed sums and counts of a channel, and the minimum to which its sums are relative.
struct PackedPlane {
  std::int16_t plane = -1, least = 0;
};

/// Value of TrainFrame::most_packed_pixels if all pixels of all channels are known.
inline constexpr std::int32_t kNothingPacked = std::numeric_limits<std::int32_t>::max();

/// A frame in GPU memory, as read by the response kernel.
struct TrainFrame {
  image::PlanesView view;  ///< Planes in GPU memory; plane size and stride are multiples of kWindowStep.
  PackedPlane packed[image::kMaxChannels];           ///< [channel] For channels with unknown pixels.
  std::int32_t most_packed_pixels = kNothingPacked;  ///< See most_packed_pixels(); minimum over channels with unknown
                                                     ///< pixels.
};

/// Common input of all kernels that read frames: the samples of the frames of a tree that are currently in GPU memory.
struct SampledFrames {
  View1<const TrainFrame> frames;        ///< [frame of the data set]
  const std::uint32_t* tree_frames;      ///< [frame of the tree] index into `frames`
  const std::uint32_t* frame_of;         ///< [S] frame order: frame of the tree
  const std::uint32_t* starts;           ///< [frame of the tree + 1] range of its samples in frame order
  std::uint32_t begin, end;              ///< Frames of the tree that are loaded.
  View1<const forest::PixelSite> sites;  ///< [S] frame order

  __device__ const TrainFrame& frame_of_sample(std::uint32_t sample) const {
    return frames[tree_frames[frame_of[sample]]];
  }
};

/// Extent and capacity of windows.
struct WindowRoom {
  Reach reach;
  std::uint32_t capacity;  ///< In units of 4 bytes.

  FW_HD WindowKind kind_for(const TrainFrame& frame, const forest::PixelSite& site) const {
    return window_kind(reach, site, frame.view.rows, frame.view.cols, capacity, frame.most_packed_pixels);
  }
};

/// Samples of a frame whose windows fit into shared memory together: those of its kind in [begin, end), in frame order.
struct SampleGroup {
  Window window;
  std::uint32_t begin, end;
  WindowKind kind;
};

/// Maximum number of samples of a group: they are in shared memory beside the window.
inline constexpr std::uint32_t kMaxGrouped = 256;

/// The groups of the loaded samples, and the samples without a group, in frame order: blocks that run at the same time
/// then read the same frames, a few of which fit in the L2 cache.
class SampleGroups {
 public:
  /// Pointers for kernels.
  struct View {
    const SampleGroup* groups;           ///< [S] at the index of their first sample
    const std::uint32_t *firsts, *lone;  ///< First samples of the groups; samples without a group.
    const std::uint32_t *num_groups, *num_lone;
    std::uint32_t* taken;  ///< Counter for kernels that distribute work dynamically; initially 0.
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
