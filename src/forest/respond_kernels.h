// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.h"
#include "fernwood/forest/region_feature.h"

namespace fernwood::forest {

/// The inner loops in which training and labelling spend most of their time, compiled once for each instruction set,
/// with bit-identical results.
struct RespondKernels {
  /// Responses of one feature at `count` sites of a frame.
  void (*respond)(const image::FrameView& frame, const RegionFeature& feature, const PixelSite* sites,
                  std::size_t count, float* responses);
  /// As respond(), with a separate feature for each site: features[feature_index[i]].
  void (*respond_each)(const image::FrameView& frame, const RegionFeature* features, const std::uint32_t* feature_index,
                       const PixelSite* sites, std::size_t count, float* responses);
};

/// @param choice  Its instruction set must be one of available_isas().
const RespondKernels& respond_kernels(const KernelVariant& choice);

}  // namespace fernwood::forest
