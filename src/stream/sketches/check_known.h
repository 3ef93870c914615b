// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <span>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"

namespace fernwood::stream {

/// @throws Error(kData) if a value is NaN.
inline void check_known(std::span<const float> values) {
  // Without a branch for each value: several are compared at once.
  int unknown = 0;
  for (const float value : values) unknown |= is_nan(value) ? 1 : 0;
  FW_CHECK(unknown == 0, Data,
           "value " << std::ranges::find_if(values, [](float value) { return is_nan(value); }) - values.begin()
                    << " of " << values.size()
                    << " is unknown (NaN), which no sketch can order; count unknown values apart");
}

}  // namespace fernwood::stream
