// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The functions that the formulas of region_feature.h require of a frame, for frames with separate planes of counts.

#include "fernwood/forest/region_feature.h"
#include "image/planes_view.h"

namespace fernwood::forest {

FW_HD std::uint32_t plane_sum(const image::PlanesView& frame, std::int32_t plane, const RegionBox& box) {
  return region_sum(frame.planes + plane * frame.plane_size, box);
}

FW_HD float region_mean(const image::PlanesView& frame, std::int32_t channel, std::int32_t count_plane,
                        const RegionBox& box, bool* known) {
  const auto sum = static_cast<std::int32_t>(plane_sum(frame, channel, box));
  const auto count = count_plane < 0 ? box.area : static_cast<std::int32_t>(plane_sum(frame, count_plane, box));
  return mean_of(sum, count, box.inside, known);
}

}  // namespace fernwood::forest
