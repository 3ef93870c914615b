// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cuda/runtime.h"
#include "fernwood/image/feature_maps.h"

namespace fernwood::image {

/// Computes the feature maps of frames on the GPU in use, one at a time, for one stream: the same numbers as
/// MapSource::find_maps(), with the values of a cell side by side.
class GpuMapFinder {
 public:
  virtual ~GpuMapFinder() = default;
  /// Levels of the maps of a frame, whose values follow each other.
  virtual std::vector<MapLevel> levels(std::int32_t rows, std::int32_t cols) const = 0;
  /// Enqueues the work. @param color  [rows][cols] in GPU memory. @param values  Of all levels, in GPU memory; output.
  virtual void find(const Rgb* color, std::int32_t rows, std::int32_t cols, std::int16_t* values,
                    const cuda::Stream& stream) = 0;
};

}  // namespace fernwood::image
