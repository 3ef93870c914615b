// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Cells that need no trees: where the corners of a block of cells have the same class, those between are interpolated.
// Identical on both devices.

#include <cstdint>
#include <functional>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/context.h"
#include "fernwood/image/labels.h"

namespace fernwood::predict {

/// Sides of blocks, in cells, from coarse to fine: trees are evaluated at the corners of the coarsest blocks, then at
/// those of the finer blocks in blocks whose corners differ, then at the cells of these. On NYU Depth v2 a quarter of
/// the cells is evaluated, and accuracy is the same to 0.1 points; with blocks of 8 cells it falls.
inline constexpr std::int32_t kBlockSides[] = {4, 2, 1};

/// The corners of a cell's block, and the cell's place between them.
struct BlockCorners {
  std::int32_t above_left, above_right, below_left, below_right;  ///< Cells. Equal ones at the frame's edge.
  std::int32_t across, down;                                      ///< In cells.
};
FW_HD BlockCorners block_corners(std::int32_t row, std::int32_t col, std::int32_t side, std::int32_t rows,
                                 std::int32_t cols) {
  const std::int32_t top = row / side * side, left = col / side * side;
  const std::int32_t bottom = top + side < rows ? top + side : top, right = left + side < cols ? left + side : left;
  return {top * cols + left, top * cols + right, bottom * cols + left, bottom * cols + right, col - left, row - top};
}

/// The class of all four corners, or kVoid. @param class_of  class_of(cell)
template <typename ClassOf>
FW_HD std::uint16_t common_class(const ClassOf& class_of, const BlockCorners& corners) {
  const std::uint16_t first = class_of(corners.above_left);
  return class_of(corners.above_right) == first && class_of(corners.below_left) == first &&
                 class_of(corners.below_right) == first
             ? first
             : image::kVoid;
}

/// Interpolates between the corners, and rounds. @param values  [cells]
FW_HD std::uint8_t between_corners(const std::uint8_t* values, const BlockCorners& corners, std::int32_t side) {
  const std::int32_t above =
      values[corners.above_left] * (side - corners.across) + values[corners.above_right] * corners.across;
  const std::int32_t below =
      values[corners.below_left] * (side - corners.across) + values[corners.below_right] * corners.across;
  return static_cast<std::uint8_t>((above * (side - corners.down) + below * corners.down + side * side / 2) /
                                   (side * side));
}

/// The most probable class of a cell, the first of equal ones. @param maps  [class][num_cells]
FW_HD std::uint16_t class_of_cell(const std::uint8_t* maps, std::int32_t num_cells, std::int32_t cell,
                                  std::int32_t num_classes) {
  std::int32_t best = 0;
  for (std::int32_t c = 1; c < num_classes; ++c)
    if (maps[c * num_cells + cell] > maps[best * num_cells + cell]) best = c;
  return static_cast<std::uint16_t>(best);
}

/// Evaluates cells, [cells] those with a value other than 0.
using EvaluateCells = std::function<void(const std::vector<std::uint8_t>& wanted)>;

/// Completes a frame's cells on the CPU.
/// @param maps  Of the frame's size; `evaluate` sets the cells that it is asked for, the others are interpolated.
void refine_cells(image::ContextMaps& maps, std::size_t num_classes, const EvaluateCells& evaluate);

}  // namespace fernwood::predict
