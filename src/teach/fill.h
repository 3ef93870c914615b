// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <vector>

#include "fernwood/image/frame.h"
#include "fernwood/teach/stroke.h"

namespace fernwood::teach {

/// Where a fill begins, and how far it goes.
struct Fill {
  std::size_t x = 0, y = 0;      ///< Column and row of the pixel.
  double largest_turn_deg = 20;  ///< Of the surface, from where it begins; of frames without depth: steps of colour.
};

/// The surface under a pixel: region growing over cells of 4 x 4 pixels (Adams and Bischof 1994) that lie in the
/// planes of their neighbours, about, and whose normals turn little from that of the first; of their pixels those in
/// the cell's plane. Frames without depth are filled over pixels whose colour changes little from one to the next.
/// @throws Error(kUsage) where the pixel is not there or its depth is unknown, or the turn is not from 1 to 180.
std::vector<PixelRun> fill_region(const image::Frame& frame, const Fill& fill);

}  // namespace fernwood::teach
