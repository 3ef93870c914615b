// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes only FW_HD formulas and plain data: any other
// function that this file emitted might be shared with other files.

#include "image/align_depth_formula.h"

#include "fernwood/image/frame.h"

namespace fernwood::image::FW_ISA {

namespace {

template <bool kDistorted>
FW_HD void find(const Projection& given, const DepthRow& row, const SquareBounds& bounds) {
  Projection to = given;
  to.is_distorted = kDistorted;
  const std::uint16_t* __restrict depths = row.depth_mm;
  const float* __restrict upper = row.upper, * __restrict lower = row.lower;
  std::int32_t* __restrict left = bounds.left, * __restrict right = bounds.right;
  std::uint32_t* __restrict rows = bounds.rows;
  const std::size_t y = row.num_corners, z = 2 * row.num_corners;
  const auto most_cols = static_cast<std::int32_t>(to.cols), most_rows = static_cast<std::int32_t>(to.rows);
  for (std::size_t col = 0; col < row.cols; ++col) {
    const std::int32_t depth_mm = depths[col];
    const auto depth = static_cast<float>(depth_mm);
    const ImagePoint first = project(to, upper[col], upper[y + col], upper[z + col], depth);
    const ImagePoint last = project(to, lower[col], lower[y + col], lower[z + col], depth);
    const PixelSpan across = pixels_between(first.x, last.x, to.cols), down = pixels_between(first.y, last.y, to.rows);
    const std::int32_t begin = across.begin > 0 ? across.begin : 0, above = down.begin > 0 ? down.begin : 0;
    const std::int32_t end = across.end < most_cols ? across.end : most_cols;
    const std::int32_t below = down.end < most_rows ? down.end : most_rows;
    const bool is_drawn = is_known_depth(depth_mm) & (across.end - across.begin <= kMaxFootprint) &
                          (down.end - down.begin <= kMaxFootprint) & (above < below);
    left[col] = begin;
    right[col] = is_drawn ? end : begin;
    rows[col] = static_cast<std::uint32_t>(above) << 16 | static_cast<std::uint32_t>(below > 0 ? below : 0);
  }
}

void find_bounds(const Projection& to, const DepthRow& row, const SquareBounds& bounds) {
  if (to.is_distorted)
    find<true>(to, row, bounds);
  else
    find<false>(to, row, bounds);
}

FW_HD void take_less(std::uint16_t& pixel, std::uint16_t depth) { pixel = pixel < depth ? pixel : depth; }

/// Draws the squares of adjacent depth pixels that cover the same rows of colour into one line.
/// @param first, last  Columns of the row of depth, [first, last). @return  The columns that were written.
FW_HD PixelSpan draw_line(const DepthRow& row, const SquareBounds& bounds, std::size_t first, std::size_t last,
                          const ZBuffer& buffer) {
  PixelSpan written = {buffer.cols, 0};
  std::uint16_t* const line = buffer.line;
  for (std::size_t col = first; col < last; ++col) {
    const std::uint16_t depth = row.depth_mm[col];
    const std::int32_t left = bounds.left[col], right = bounds.right[col];
    if (left >= right) continue;
    written.begin = left < written.begin ? left : written.begin;
    written.end = right > written.end ? right : written.end;
    // Most squares are at most three pixels wide: writing some pixels twice avoids a branch on the width.
    take_less(line[left], depth);
    take_less(line[right - 1], depth);
    take_less(line[(left + right) >> 1], depth);
    for (std::int32_t x = left + 1; x < right - 1 && right - left > 3; ++x) take_less(line[x], depth);
  }
  return written;
}

void draw_squares(const DepthRow& row, const SquareBounds& bounds, const ZBuffer& buffer) {
  for (std::size_t first = 0, last = 0; first < row.cols; first = last) {
    last = first + 1;
    if (bounds.left[first] >= bounds.right[first]) continue;
    const std::uint32_t rows = bounds.rows[first];
    // Pixels whose square is empty do not end a run.
    while (last < row.cols && (bounds.rows[last] == rows || bounds.left[last] >= bounds.right[last])) ++last;
    const PixelSpan across = draw_line(row, bounds, first, last, buffer);
    std::uint16_t* __restrict line = buffer.line;
    for (std::uint32_t y = rows >> 16; y < (rows & 0xffff); ++y) {
      std::uint16_t* __restrict nearest = buffer.nearest + static_cast<std::size_t>(y) * buffer.cols;
      for (std::int32_t x = across.begin; x < across.end; ++x) take_less(nearest[x], line[x]);
    }
    for (std::int32_t x = across.begin; x < across.end; ++x) line[x] = kNoDepth;
  }
}

}  // namespace

extern const AlignKernels align_kernels_table;
const AlignKernels align_kernels_table = {find_bounds, draw_squares};

}  // namespace fernwood::image::FW_ISA
