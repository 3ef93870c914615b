// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Projection of depth pixels into the colour image: one formula for CPUs and GPUs.

#include <cstddef>
#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/align_depth.h"

namespace fernwood::image {

/// Projection into the colour camera, for images of one size.
struct Projection {
  float fx, fy, cx, cy;
  float tx, ty, tz;     ///< Position of the depth camera in the colour camera's coordinates, in mm.
  float distortion[8];  ///< See Distortion.
  bool is_distorted;
  float cols, rows;
};

Projection projection_of(const DepthAligner& aligner);

struct ImagePoint {
  float x, y;
};

/// Applies the lens distortion to normalised coordinates.
FW_HD ImagePoint distorted(const float* k, ImagePoint p) {
  const float r2 = p.x * p.x + p.y * p.y;
  const float above = 1.0f + r2 * (k[0] + r2 * (k[1] + r2 * k[4]));
  const float below = 1.0f + r2 * (k[5] + r2 * (k[6] + r2 * k[7]));
  const float radial = above / below, both = 2.0f * p.x * p.y;
  return {p.x * radial + k[2] * both + k[3] * (r2 + 2.0f * p.x * p.x),
          p.y * radial + k[3] * both + k[2] * (r2 + 2.0f * p.y * p.y)};
}

/// Subpixel position at which the end of a ray is seen. A point behind the camera is mapped far outside the image.
FW_HD ImagePoint project(const Projection& to, float ray_x, float ray_y, float ray_z, float depth_mm) {
  const float x = ray_x * depth_mm + to.tx, y = ray_y * depth_mm + to.ty, z = ray_z * depth_mm + to.tz;
  const float scale = 1.0f / (z > 1.0f ? z : 1.0f);
  ImagePoint p = {x * scale, y * scale};
  if (to.is_distorted) p = distorted(to.distortion, p);
  const float far = z > 1.0f ? 0.0f : 1e9f;
  return {p.x * to.fx + to.cx + far, p.y * to.fy + to.cy + far};
}

/// The smallest whole number not below a coordinate, clamped to [-kMaxFootprint - 1, size + kMaxFootprint + 1]; NaN
/// gives the minimum.
FW_HD std::int32_t first_pixel(float at, float size) {
  const float low = -static_cast<float>(kMaxFootprint) - 1.0f, high = size + static_cast<float>(kMaxFootprint) + 1.0f;
  const float above = at > low ? at : low, inside = above < high ? above : high;
  const auto whole = static_cast<std::int32_t>(inside);  // rounds towards 0
  return whole + (static_cast<float>(whole) < inside ? 1 : 0);
}

/// Pixels in [begin, end).
struct PixelSpan {
  std::int32_t begin, end;
};

/// Pixels whose centres lie between two coordinates, which may be in either order.
FW_HD PixelSpan pixels_between(float a, float b, float size) {
  const float low = a < b ? a : b, high = a > b ? a : b;
  return {first_pixel(low, size), first_pixel(high, size)};
}

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
