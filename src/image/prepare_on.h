// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::image {

/// The planes of a frame in the host's memory, whichever device computed them: to compare devices.
struct HostPlanes {
  FrameView layout;  ///< `planes` is null.
  std::vector<std::uint32_t> planes;
};

/// Prepares frames on a device, one after another. A GPU has a plane of counts for depth even where a CPU sees that it
/// needs none, unless `looks_for_unknown`: then it gets one only for frames with unknown depth, as on the CPU.
/// @throws Error(kDevice) for a GPU in a build without CUDA.
std::vector<HostPlanes> prepare_on(Device device, std::span<const Frame> frames, const Preparation& preparation,
                                   bool looks_for_unknown = true);
/// The same on a GPU.
std::vector<HostPlanes> prepare_on_gpu(int gpu, std::span<const Frame> frames, const Preparation& preparation,
                                       bool looks_for_unknown);

}  // namespace fernwood::image
