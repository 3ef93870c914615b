// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cell_refinement.h"

namespace fernwood::predict {

namespace {

/// Interpolates the unknown cells of blocks whose corners have one class.
void fill_blocks(std::int32_t side, std::vector<std::uint8_t>& known, std::vector<std::uint16_t>& classes,
                 image::ContextMaps& maps) {
  const auto rows = static_cast<std::int32_t>(maps.rows), cols = static_cast<std::int32_t>(maps.cols);
  const std::size_t num_cells = known.size();
  for (std::int32_t row = 0; row < rows; ++row)
    for (std::int32_t col = 0; col < cols; ++col) {
      const auto cell = static_cast<std::size_t>(row * cols + col);
      if (known[cell]) continue;
      const BlockCorners corners = block_corners(row, col, side, rows, cols);
      const std::uint16_t common =
          common_class([&](std::int32_t corner) { return classes[static_cast<std::size_t>(corner)]; }, corners);
      if (common == image::kVoid) continue;
      for (std::uint8_t* map = maps.values.data(); map < maps.values.data() + maps.values.size(); map += num_cells)
        map[cell] = between_corners(map, corners, side);
      classes[cell] = common;
      known[cell] = 1;
    }
}

}  // namespace

void refine_cells(image::ContextMaps& maps, std::size_t num_classes, const EvaluateCells& evaluate) {
  const std::size_t num_cells = maps.rows * maps.cols;
  std::vector<std::uint8_t> known(num_cells, 0), wanted;
  std::vector<std::uint16_t> classes(num_cells);
  for (const std::int32_t side : kBlockSides) {
    wanted.assign(num_cells, 0);
    for (std::size_t row = 0; row < maps.rows; row += static_cast<std::size_t>(side))
      for (std::size_t cell = row * maps.cols; cell < (row + 1) * maps.cols; cell += static_cast<std::size_t>(side))
        wanted[cell] = known[cell] ? 0 : 1;
    evaluate(wanted);
    for (std::size_t cell = 0; cell < num_cells && side > 1; ++cell)
      if (wanted[cell]) {
        known[cell] = 1;
        classes[cell] = class_of_cell(maps.values.data(), static_cast<std::int32_t>(num_cells),
                                      static_cast<std::int32_t>(cell), static_cast<std::int32_t>(num_classes));
      }
    if (side > 1) fill_blocks(side, known, classes, maps);
  }
}

}  // namespace fernwood::predict
