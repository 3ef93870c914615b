// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/image/feature_maps.h"

namespace fernwood::image {

/// A linear classifier of a frame's feature maps (a linear probe: Alain and Bengio 2016, "Understanding intermediate
/// layers using linear classifier probes"). Its scores are feature maps too, with the resolution of the finest ones, so
/// that one test of a tree can use hundreds of maps together.
struct LinearHead {
  std::vector<std::string> classes;   ///< [score] Class of the score.
  int num_maps = 0;                   ///< Number of maps that it reads: all maps but its scores.
  std::vector<std::int32_t> weights;  ///< [score][map] In [-kMaxHeadWeight, kMaxHeadWeight].
  std::vector<std::int32_t> bias;     ///< [score] In steps of a partial score.
  int shift = 0;  ///< Right shift from sums of products to steps of a partial score, in [0, kMaxHeadShift].

  int num_scores() const { return static_cast<int>(classes.size()); }
  bool operator==(const LinearHead&) const = default;
};

inline constexpr std::int32_t kMaxHeadWeight = 1 << 23;
inline constexpr int kMaxHeadShift = 40, kMaxHeadMaps = 1 << 14, kMaxScores = 1024;
/// Representation of a score of 1, the target for pixels of the class: in a cell, and in the partial score of a level.
inline constexpr std::int32_t kScoreOne = 1 << 13, kPartialOne = kScoreOne << 4;
/// Maximum magnitude of partial scores and biases, in units of 1 and in steps of a partial score; larger values are
/// clamped.
inline constexpr std::int32_t kMaxScore = 8, kMaxPartial = kMaxScore * kPartialOne;

/// Partial score: the contribution of the maps of one level to a score.
/// @param sum  Sum of weights times values, below 2^53, so that additions in double precision are exact in any order.
FW_HD std::int32_t partial_score(std::int64_t sum, int shift) {
  const std::int64_t half = shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
  const std::int64_t steps = (sum + half) >> shift;
  return static_cast<std::int32_t>(steps < -kMaxPartial ? -kMaxPartial : steps > kMaxPartial ? kMaxPartial : steps);
}

/// Converts a score to the value of a cell. @param sum  Sum of all partial scores, in 1 / kMapSteps^2 of their steps.
FW_HD std::int16_t score_value(std::int64_t sum) {
  constexpr int kShift = 12 + 4;  // kMapSteps^2 = 2^12, kPartialOne / kScoreOne = 2^4
  const std::int64_t steps = (sum + (std::int64_t{1} << (kShift - 1))) >> kShift;
  return static_cast<std::int16_t>(steps < -32767 ? -32767 : steps > 32767 ? 32767 : steps);
}

/// The level whose resolution the scores have: the first of those with the most cells.
/// @param num_levels  Number of levels that the head reads.
FW_HD std::int32_t finest_level(const MapLevel* levels, std::int32_t num_levels) {
  std::int32_t finest = 0;
  for (std::int32_t l = 1; l < num_levels; ++l)
    if (levels[l].rows * levels[l].cols > levels[finest].rows * levels[finest].cols) finest = l;
  return finest;
}

/// Position of a cell of the finest level among the cells of another level, along one side.
/// @param cell_step, finest_step  Cells per pixel of the other and of the finest level, see MapLevel.
FW_HD MapPlace place_in_level(std::int32_t cell, std::uint32_t cell_step, std::uint32_t finest_step,
                              std::int32_t cells) {
  const auto step = static_cast<std::uint32_t>((static_cast<std::uint64_t>(cell_step) << 16) / finest_step);
  return map_place(cell, step < 65536 ? step : 65536, cells);
}

/// Contribution of one level to the score of a cell of the finest level, for score_value(): its interpolated partial
/// score.
/// @param partial    [rows][cols] Partial scores of the level.
/// @param next_cell  Distance between the partial scores of successive cells.
FW_HD std::int64_t level_score(const std::int32_t* partial, std::int32_t next_cell, const MapLevel& level,
                               const MapLevel& finest, std::int32_t row, std::int32_t col) {
  const MapPlace across = place_in_level(col, level.col_step, finest.col_step, level.cols);
  const MapPlace down = place_in_level(row, level.row_step, finest.row_step, level.rows);
  const auto at = [&](std::int32_t y, std::int32_t x) -> std::int64_t {
    return partial[(y * level.cols + x) * next_cell];
  };
  const std::int64_t above =
      at(down.first, across.first) * (kMapSteps - across.weight) + at(down.first, across.second) * across.weight;
  const std::int64_t below =
      at(down.second, across.first) * (kMapSteps - across.weight) + at(down.second, across.second) * across.weight;
  return above * (kMapSteps - down.weight) + below * down.weight;
}

/// The level of a head's scores, in planar layout.
/// @param finest  Finest level of the maps that the head reads. @param offset  Number of values of earlier levels.
MapLevel score_level(const MapLevel& finest, int first_map, std::size_t offset);

/// Appends the scores of a head to the maps that it reads.
void add_scores(const LinearHead& head, FeatureMaps& maps);

}  // namespace fernwood::image
