// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The blocks of a map on a GPU.

#include <memory>

#include "fernwood/map/voxel_map.h"

namespace fernwood::map {

/// Fuses frames as the CPU does, bit for bit. What finds blocks is kept on the host, too; what they hold comes back
/// when it is asked for.
class GpuMap {
 public:
  virtual ~GpuMap() = default;
  /// See VoxelMap::integrate(). @param frame  Of sizes that fit.
  virtual FusedFrame integrate(const MapFrame& frame) = 0;
  /// See VoxelMap::label_and_integrate(). @param predictor  On this GPU.
  virtual FusedFrame label_and_integrate(const image::Frame& frame, const image::RigidMotion& pose,
                                         predict::Predictor& predictor, FusionTimes* times) = 0;
  /// Copies what blocks hold to the map's content, where they changed.
  virtual void fetch() = 0;
};

/// @param content  Of the map, which outlives this; its blocks are copied to the GPU.
/// @throws Error(kDevice), Error(kResource) where they do not fit the GPU's memory.
std::unique_ptr<GpuMap> make_gpu_map(VoxelMap::Content& content, int gpu);

}  // namespace fernwood::map
