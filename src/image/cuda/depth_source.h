// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"

namespace fernwood::image {

/// Depth as channels read it.
struct DepthSource {
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols]
  const std::uint8_t* row_known = nullptr;  ///< [rows] 0: the row is like its nearest known one; null: all stand alone.
};

/// The row whose depth row y takes: itself, or the nearest known one above, or else below (thesis 5.1.1).
FW_HD std::int32_t source_row(const DepthSource& depth, std::int32_t y, std::int32_t rows) {
  if (!depth.row_known) return y;
  std::int32_t row = y;
  while (row >= 0 && !depth.row_known[row]) --row;
  if (row >= 0) return row;
  for (row = y + 1; row < rows && !depth.row_known[row];) ++row;
  return row < rows ? row : y;
}

}  // namespace fernwood::image
