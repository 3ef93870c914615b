// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "image/align_depth_formula.h"

namespace fernwood::image {

/// Of a row of depth: the pixels of colour that the square of each pixel covers, within the image.
struct SquareBounds {
  std::int32_t *left, *right;  ///< [cols], written: [left, right), empty where nothing is drawn.
  std::uint32_t* rows;         ///< [cols], written: the first row in the upper 16 bits, and the one after the last.
};

/// A row of depth, and where the corners of its pixels look.
struct DepthRow {
  const std::uint16_t* depth_mm;  ///< [cols]
  const float *upper, *lower;     ///< Rays of the upper left and of the lower right corners, x, y and z in planes.
  std::size_t num_corners;        ///< Of a plane.
  std::size_t cols;
};

inline constexpr std::uint16_t kNoDepth = 0xffff;  ///< Of a z-buffer: farther than any known depth.

struct ZBuffer {
  std::uint16_t* nearest;  ///< [rows][cols], written.
  std::uint16_t* line;     ///< [cols] of kNoDepth, and so again afterwards.
  std::int32_t cols;
};

/// Loops that are compiled for each instruction set.
struct AlignKernels {
  void (*find_bounds)(const Projection& to, const DepthRow& row, const SquareBounds& bounds);
  /// Gives pixels the depth of the squares on them, if it is less than what they have.
  void (*draw_squares)(const DepthRow& row, const SquareBounds& bounds, const ZBuffer& buffer);
};

}  // namespace fernwood::image
