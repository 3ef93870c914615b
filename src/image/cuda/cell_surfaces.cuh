// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Surfaces of cells on a GPU, one thread per cell, in the summation order of find_surfaces().

#include "image/channel_table.h"
#include "image/geometry.h"

namespace fernwood::image {

/// Inverse depth of a cell of a frame of `rows` x `cols` pixels.
__device__ inline float inverse_of_cell(const DepthSource& depth, std::int32_t rows, std::int32_t cols,
                                        std::int32_t cell_row, std::int32_t cell_col) {
  const std::int32_t top = cell_row * kCellSize, left = cell_col * kCellSize;
  std::uint32_t sum = 0, known = 0;
  for (std::int32_t y = top; y < min(top + kCellSize, rows); ++y) {
    const std::uint16_t* row = depth.depth_mm + static_cast<std::size_t>(source_row(depth, y, rows)) * cols;
    for (std::int32_t x = left; x < min(left + kCellSize, cols); ++x) {
      const std::uint32_t of_pixel = inverse_depth(row[x]);
      sum += of_pixel;
      known += of_pixel > 0;
    }
  }
  return cell_inverse(sum, known);
}

/// Normal of a cell. @param inverse  [rows][cols], inverse depth of all cells. @param radius  See find_surfaces().
__device__ inline CellNormal normal_of_cell(const float* inverse, std::int32_t rows, std::int32_t cols,
                                            const Camera& camera, std::int32_t row, std::int32_t col,
                                            int radius = kPlaneRadius) {
  const std::int32_t cell = row * cols + col;
  const float middle = inverse[cell];
  PlaneSums sums;
  // In the order of the CPU code, whose cell array has a margin of unknown cells.
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const bool inside = row + dy >= 0 && row + dy < rows && col + dx >= 0 && col + dx < cols;
      const float of_neighbour = inside ? inverse[cell + dy * cols + dx] : 0.0f;
      sums.add(static_cast<float>(dx), static_cast<float>(dy), of_neighbour, middle);
    }
  return fit_normal(sums, camera, cell_middle(col), cell_middle(row), middle);
}

}  // namespace fernwood::image
