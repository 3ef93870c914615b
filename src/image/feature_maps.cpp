// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/feature_maps.h"

#include <algorithm>

namespace fernwood::image {

MapsView FeatureMaps::view() const {
  MapsView view = {.values = values.data(), .num_levels = static_cast<std::int32_t>(levels.size())};
  std::ranges::copy(levels, view.levels);
  return view;
}

}  // namespace fernwood::image
