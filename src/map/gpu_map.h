// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A map's blocks on a GPU.

#include <memory>

#include "fernwood/map/voxel_map.h"

namespace fernwood::map {

/// Fuses frames with results bit-identical to the CPU. The table of blocks is also kept on the host; the content of
/// blocks is copied back on request.
class GpuMap {
 public:
  virtual ~GpuMap() = default;
  /// See VoxelMap::integrate(). @param frame  Must have valid sizes.
  virtual FusedFrame integrate(const MapFrame& frame) = 0;
  /// See VoxelMap::label_and_integrate(). @param predictor  Must be on this GPU.
  virtual FusedFrame label_and_integrate(const image::Frame& frame, const image::RigidMotion& pose,
                                         predict::Predictor& predictor, FusionTimes* times) = 0;
  /// Copies the content of changed blocks to the map on the host.
  virtual void fetch() = 0;
};

/// @param content  Content of the map; must outlive the GpuMap. Its blocks are copied to the GPU.
/// @throws Error(kDevice), and Error(kResource) if they do not fit the GPU's memory.
std::unique_ptr<GpuMap> make_gpu_map(VoxelMap::Content& content, int gpu);

}  // namespace fernwood::map
