// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "image/align_depth_formula.h"

namespace fernwood::image {

/// The colour pixels covered by the square of each pixel of a row of depth, clipped to the image.
struct SquareBounds {
  std::int32_t *left, *right;  ///< [cols], output: [left, right), empty where nothing is drawn.
  std::uint32_t* rows;         ///< [cols], output: first row in the upper 16 bits, end row in the lower ones.
};

/// A row of depth, and the rays of the corners of its pixels.
struct DepthRow {
  const std::uint16_t* depth_mm;  ///< [cols]
  const float *upper, *lower;     ///< Rays of the upper left and of the lower right corners, with x, y and z in planes.
  std::size_t num_corners;        ///< Corners per plane.
  std::size_t cols;
};

inline constexpr std::uint16_t kNoDepth = 0xffff;  ///< Initial value of a z-buffer: farther than any known depth.

struct ZBuffer {
  std::uint16_t* nearest;  ///< [rows][cols], updated.
  std::uint16_t* line;     ///< [cols], scratch: all kNoDepth before and after each call.
  std::int32_t cols;
};

/// Functions that are compiled for each instruction set.
struct AlignKernels {
  void (*find_bounds)(const Projection& to, const DepthRow& row, const SquareBounds& bounds);
  /// Sets each covered pixel to the depth of the square if that is nearer.
  void (*draw_squares)(const DepthRow& row, const SquareBounds& bounds, const ZBuffer& buffer);
};

}  // namespace fernwood::image
