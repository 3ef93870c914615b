// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/image/feature_maps.h"

namespace fernwood::image {

/// A linear classifier of a frame's feature maps (a linear probe: Alain and Bengio 2016, "Understanding intermediate
/// layers using linear classifier probes"). Its scores are feature maps themselves, as fine as the finest ones, so that
/// one test of a tree sees what hundreds of maps say together.
struct LinearHead {
  std::vector<std::string> classes;   ///< [score] What it speaks for.
  int num_maps = 0;                   ///< That it reads: all that are there before its scores.
  std::vector<std::int32_t> weights;  ///< [score][map] Of magnitudes up to kMostHeadWeight.
  std::vector<std::int32_t> bias;     ///< [score] In steps of a partial score.
  int shift = 0;  ///< Of products, in [0, kMostHeadShift], before they are steps of a partial score.

  int num_scores() const { return static_cast<int>(classes.size()); }
  bool operator==(const LinearHead&) const = default;
};

inline constexpr std::int32_t kMostHeadWeight = 1 << 23;
inline constexpr int kMostHeadShift = 40, kMostHeadMaps = 1 << 14, kMostScores = 1024;
/// A score of 1, the target of the pixels of a class, as a cell has it; and as a partial score has it, of one level.
inline constexpr std::int32_t kScoreOne = 1 << 13, kPartialOne = kScoreOne << 4;
/// Partial scores and biases are cut at so many times 1.
inline constexpr std::int32_t kMostScore = 8, kMostPartial = kMostScore * kPartialOne;

/// What the maps of one level, or none of them, add to a score. @param sum  Of weights times values: below 2^53, so
/// that double precision adds it exactly, in any order.
FW_HD std::int32_t partial_score(std::int64_t sum, int shift) {
  const std::int64_t half = shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
  const std::int64_t steps = (sum + half) >> shift;
  return static_cast<std::int32_t>(steps < -kMostPartial ? -kMostPartial : steps > kMostPartial ? kMostPartial : steps);
}

/// A score, as a feature map has it. @param sum  Of all partial scores in 1 / kMapSteps^2 of their steps.
FW_HD std::int16_t score_value(std::int64_t sum) {
  constexpr int kShift = 12 + 4;  // those of kMapSteps^2 and of kPartialOne
  const std::int64_t steps = (sum + (std::int64_t{1} << (kShift - 1))) >> kShift;
  return static_cast<std::int16_t>(steps < -32767 ? -32767 : steps > 32767 ? 32767 : steps);
}

/// The level that scores are as fine as: the first of those with most cells. @param num_levels  Of those that a head
/// reads.
FW_HD std::int32_t finest_level(const MapLevel* levels, std::int32_t num_levels) {
  std::int32_t finest = 0;
  for (std::int32_t l = 1; l < num_levels; ++l)
    if (levels[l].rows * levels[l].cols > levels[finest].rows * levels[finest].cols) finest = l;
  return finest;
}

/// Where a cell of the finest level lies among those of another. @param cell_step, finest_step  Cells a pixel, see
/// MapLevel.
FW_HD MapPlace place_in_level(std::int32_t cell, std::uint32_t cell_step, std::uint32_t finest_step,
                              std::int32_t cells) {
  const auto step = static_cast<std::uint32_t>((static_cast<std::uint64_t>(cell_step) << 16) / finest_step);
  return map_place(cell, step < 65536 ? step : 65536, cells);
}

/// What one level adds to the score of a cell of the finest one, for score_value(). @param partial  [rows][cols] Of the
/// level, its cells so far apart. @param next_cell  From a cell's to the next cell's.
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

/// The level of a head's scores, planar. @param finest  Of the maps that it reads. @param offset  Number of values
/// before its own.
MapLevel score_level(const MapLevel& finest, int first_map, std::size_t offset);

/// Adds the scores of a head to the maps that it reads.
void add_scores(const LinearHead& head, FeatureMaps& maps);

}  // namespace fernwood::image
