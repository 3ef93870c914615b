// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>

#include "core/isa.h"
#include "image/geometry.h"

namespace fernwood::image {

/// Inverse depths of cells, with a margin of kPlaneRadius unknown cells.
struct InverseDepthRow {
  const float* middle;  ///< The first cell of a row.
  std::size_t step;     ///< From row to row.
  std::size_t num_cells;
};

/// The inner loops of finding surfaces, compiled once for each instruction set, with bit-identical results.
struct GeometryKernels {
  /// The plane around each cell of a row. @param radius  Of the cells that it is fitted to. @param planes  [num_cells]
  void (*sum_planes)(const InverseDepthRow& row, int radius, PlaneSums* planes);
};

/// @param isa  One of available_isas().
const GeometryKernels& geometry_kernels(Isa isa);

}  // namespace fernwood::image
