// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Steps of preparing a frame, and the complete preparation on any device, to compare devices.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/image/prepared_frame.h"
#include "image/planes_view.h"

namespace fernwood::image {

/// @throws Error(kData) when the frame lacks an input of `preparation`, is inconsistent or too large; Error(kUsage) for
/// too many channels.
void check_frame(const FrameImages& frame, const Preparation& preparation);

/// Whether filling changes any depth that the channels read.
bool fills_depth(const Preparation& preparation);

/// Whether no depth is unknown, after simple filling if `will_be_filled`.
bool is_depth_complete(std::span<const std::uint16_t> depth_mm, bool will_be_filled);

/// The camera of a frame, for frames of any size.
Camera camera_of(const FrameImages& frame, const Preparation& preparation);

/// Layout of the planes of a frame in host memory.
struct FrameLayout {
  FrameView view;  ///< `sums` and `pairs` are null.
  std::size_t num_sums = 0, num_pairs = 0;
};

/// @param depth_complete  No depth is unknown. Otherwise all channels derived from depth have planes of pairs.
/// @throws Error(kData) when the planes have more than 2^31 numbers.
FrameLayout layout_frame(std::size_t rows, std::size_t cols, const ChannelLayout& channels, bool depth_complete);

/// Layout of the planes of a frame in GPU memory.
struct PlaneLayout {
  PlanesView view;  ///< `planes` is null.
  std::size_t num_sums = 0;
  std::int32_t num_planes() const {
    return static_cast<std::int32_t>(num_sums / static_cast<std::size_t>(view.plane_size));
  }
};

/// @param depth_complete  No depth is unknown. Otherwise one plane after the channels counts known pixels for all
///                        channels derived from depth.
/// @param stride_step  The stride is cols + 1, rounded up to a multiple of this.
/// @throws Error(kData) when the planes have more than 2^31 numbers.
PlaneLayout layout_planes(std::size_t rows, std::size_t cols, const ChannelLayout& channels, bool depth_complete,
                          std::size_t stride_step = 1);

/// Integrates a channel (thesis 3.2.4): afterwards `sums[y * (cols + 1) + x]` is the sum of all known values above row
/// y and left of column x, modulo 2^32. Differences of sums are exact as long as the sum of one region fits into 32
/// bits, whatever the frame size.
/// @param sums    [(rows + 1) * (cols + 1)], output.
void integrate(const ChannelImage& channel, std::uint32_t* sums);
/// The same for sums and counts of known values packed into one number, see FrameView.
void integrate(const ChannelImage& channel, std::uint64_t* pairs);

/// The planes of a frame in host memory, in the layout of a GPU, whichever device computed them: for comparing devices.
struct HostPlanes {
  PlanesView layout;  ///< `planes` and the values of maps are null.
  std::vector<std::uint32_t> planes;
  std::vector<std::int16_t> map_values = {};
};

/// Prepares frames on a device, one after another. A GPU adds a plane of counts for depth even where a CPU finds that
/// none is needed, unless `looks_for_unknown`: then only frames with unknown depth get one, as on the CPU.
/// @throws Error(kDevice) for a GPU in a build without CUDA.
std::vector<HostPlanes> prepare_on(Device device, std::span<const Frame> frames, const Preparation& preparation,
                                   bool looks_for_unknown = true);
/// The same on a GPU.
std::vector<HostPlanes> prepare_on_gpu(int gpu, std::span<const Frame> frames, const Preparation& preparation,
                                       bool looks_for_unknown);

}  // namespace fernwood::image
