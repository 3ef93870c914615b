// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The vector loops over rows of a frame: plain data, for a source that is compiled once per instruction set.

#include <cstddef>
#include <cstdint>

#include "objects/object_formulas.h"

namespace fernwood::objects {

/// A row of depth, and what its points are computed from.
struct RowOfDepth {
  LevelFrame level;
  const std::uint16_t* depth_mm;  ///< [column] 0: unknown.
  const float* rays;              ///< [column] image::ray()
  float ray;                      ///< Of the row.
};

/// Pixels that the loops over runs work on at a time.
inline constexpr std::size_t kLanes = 16;

/// Whole numbers of the points of a row, [column] each; 0 where depth is unknown. kLanes more may be read.
struct RowMeasures {
  std::int32_t *distance, *across, *forward, *up;  ///< mm
  std::int32_t* area;                              ///< pixel_area()
};

/// What the known pixels of a run, at most 65535, add up to.
struct RunSums {
  std::int32_t known, across, forward, up, area;
  std::int32_t nearest, lowest[3], highest[3];
};

struct ObjectKernels {
  /// [i] links_of() a pixel and another one, which may be the next one of the same row.
  void (*link)(const std::uint16_t* labels, const std::uint16_t* depth_mm, const std::uint16_t* other_labels,
               const std::uint16_t* other_depth_mm, std::size_t count, std::uint8_t* links);
  /// @param areas  [column] area_at_1_mm()
  void (*measure_row)(const RowOfDepth& row, const float* areas, std::size_t cols, const RowMeasures& to);
  RunSums (*sum_run)(const RowMeasures& row, std::size_t first, std::size_t end);
  std::int32_t (*total_sureness)(const float* probabilities, std::size_t count);
  /// Widens the extents along the directions by every kPixelsApart-th column of [first, end).
  /// @param across, forward  [kDirections] @param lowest, highest  [kDirections] mm
  void (*widen)(const RowOfDepth& row, std::size_t first, std::size_t end, const float* across, const float* forward,
                float* lowest, float* highest);
};

}  // namespace fernwood::objects
