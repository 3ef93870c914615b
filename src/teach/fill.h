// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/image/frame.h"
#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// Start and limit of a fill.
struct Fill {
  std::size_t x = 0, y = 0;      ///< Column and row of the pixel.
  double largest_turn_deg = 20;  ///< Of the surface, from its start; for frames without depth: colour difference.
};

/// The surface at a pixel: region growing (Adams and Bischof 1994) over cells of 4 x 4 pixels that lie approximately in
/// the planes of their neighbours and whose normals differ little from that of the first; of their pixels those in the
/// cell's plane. Frames without depth are filled over pixels whose colour changes little between neighbours.
/// @throws Error(kUsage) if the pixel is outside the image or its depth is unknown, or the turn is not in 1 to 180.
std::vector<PixelRun> fill_region(const image::Frame& frame, const Fill& fill);

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
