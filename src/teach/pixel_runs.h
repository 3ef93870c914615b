// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// Runs of the pixels of an image for which `is_inside(y, x)`, ascending.
template <typename IsInside>
std::vector<PixelRun> runs_where(std::size_t rows, std::size_t cols, const IsInside& is_inside) {
  std::vector<PixelRun> runs;
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = 0; x < cols; ++x) {
      if (!is_inside(y, x)) continue;
      const auto pixel = static_cast<std::uint32_t>(y * cols + x);
      if (!runs.empty() && runs.back().begin + runs.back().count == pixel)
        ++runs.back().count;
      else
        runs.push_back({pixel, 1});
    }
  return runs;
}

}  // namespace fernwood::teach
