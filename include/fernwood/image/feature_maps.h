// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/frame.h"

namespace fernwood::image {

/// Maximum number of resolutions of the feature maps of a backbone, and of all maps of a frame: the supplied maps and
/// the scores of a linear head have one level each.
inline constexpr int kMaxBackboneLevels = 4, kMaxMapLevels = kMaxBackboneLevels + 2;

/// Channel number that stands for the feature maps.
inline constexpr std::uint8_t kMapChannel = 254;

/// Layout of the feature maps of one resolution: their position in memory, and the size of a pixel in cells.
struct MapLevel {
  std::int32_t rows = 0, cols = 0;  ///< Number of cells.
  std::int32_t first_map = 0;       ///< Number of the first map, among those of all levels.
  std::int32_t offset = 0;          ///< Index of its first value.
  std::int32_t next_map = 0,
               next_cell = 1;  ///< Distances, in values, between successive maps and between successive cells.
  std::uint32_t row_step = 0, col_step = 0;  ///< Cells per pixel, in 1/65536; at most 65536.
};

/// View of the feature maps of a frame, on the host or a GPU.
struct MapsView {
  const std::int16_t* values = nullptr;  ///< [level][map][rows][cols]; on a GPU [level][rows][cols][map]
  std::int32_t num_levels = 0;
  MapLevel levels[kMaxMapLevels] = {};
};

/// The feature maps of a frame: coarse channels, which are interpolated between cells and have no integral images.
struct FeatureMaps {
  std::vector<MapLevel> levels;
  std::vector<std::int16_t> values;  ///< [level][map][rows][cols]

  MapsView view() const;
  std::size_t size_bytes() const { return values.size() * sizeof(std::int16_t); }
};

/// Least and greatest value of a supplied map in the training frames; the 16 bits of its cells cover this range.
struct MapRange {
  float low = 0, high = 0;
  bool operator==(const MapRange&) const = default;
};

/// Conversion of the values of a supplied map to those of cells, see cell_value().
struct MapScale {
  float low, steps;  ///< Least value; 16-bit steps per unit, 0 for a map with one value.
};
MapScale scale_of(const MapRange& range);

/// Number of steps from the lower end of a range to its upper end, and to its middle, which also stands for unknown
/// values.
inline constexpr std::int32_t kRangeSteps = 65534, kRangeMiddle = kRangeSteps / 2;

/// Rounds a value to the nearest step, in [-kRangeMiddle, kRangeMiddle]. Values out of range are clamped; NaN becomes
/// the middle, 0. One subtraction, product and sum of floats, each rounded: the same on every processor and GPU.
FW_HD std::int16_t cell_value(float value, const MapScale& scale) {
  const float at = (value - scale.low) * scale.steps;
  if (!(at == at)) return 0;
  const float within = at < 0 ? 0.0f : at > kRangeSteps ? static_cast<float>(kRangeSteps) : at;
  return static_cast<std::int16_t>(static_cast<std::int32_t>(within + 0.5f) - kRangeMiddle);
}

/// Size of a grid of pixels or cells.
struct GridSize {
  std::int32_t rows, cols;
};
/// The level of supplied maps, in planar layout.
/// @param first_map  Number of maps of earlier levels.
/// @param offset     Number of values of earlier levels.
MapLevel supplied_level(GridSize frame, GridSize maps, std::int32_t first_map, std::size_t offset);

/// Appends a frame's supplied maps to `maps`.
/// @param ranges     [map] Of the supplied maps; as many as the frame has, see check_frame().
/// @param first_map  Number of maps in `maps` before the call.
void add_supplied_maps(const FrameImages& frame, const std::vector<MapRange>& ranges, std::int32_t first_map,
                       FeatureMaps& maps);

/// Extends ranges to include the finite values of maps. The range of a map without finite values stays empty: low is
/// above high.
/// @param ranges  [map] As many as there are maps; initially kNoRange.
void widen(std::vector<MapRange>& ranges, const SuppliedMaps& maps);
/// The empty range, from which widen() starts.
inline constexpr MapRange kNoRange = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()};

class GpuMapFinder;  // image/cuda/frame_preparer.h

/// Source of feature maps: a backbone (see backbone/backbone.h).
class MapSource {
 public:
  virtual ~MapSource() = default;
  virtual std::string name() const = 0;      ///< Name in messages and tables.
  virtual std::string checksum() const = 0;  ///< 16 hexadecimal digits; sources with equal checksums give equal maps.
  virtual int num_maps() const = 0;
  virtual int reduction() const = 0;  ///< Factor by which frames are reduced in each direction.
  /// Content of its file, of which models contain a copy.
  virtual const std::vector<std::uint8_t>& bytes() const = 0;
  virtual std::string map_name(int map) const = 0;  ///< For example "map 217 of stride 32".
  /// Computes the maps of a frame. May be called by several threads at once.
  /// @param frame  On the host, with FrameImages::is_plain(). @param pool  Threads to use; null: only the calling one.
  /// @throws Error(kData) for a frame without colour.
  virtual FeatureMaps find_maps(const FrameImages& frame, ThreadPool* pool) const = 0;
  /// An object that computes the same maps on the current GPU; null in a build without CUDA.
  virtual std::shared_ptr<GpuMapFinder> on_gpu() const = 0;
};

/// Interpolation steps between two cells. Interpolation in both directions multiplies values by kMapSteps^2 = 2^12.
inline constexpr std::int32_t kMapSteps = 64;

/// The two cells between whose centres a pixel lies, along one side, and the weight of the second in 1 / kMapSteps.
struct MapPlace {
  std::int32_t first, second, weight;
};
/// @param pixel  In [0, 65536). @param step  Cells per pixel, see MapLevel. @param cells  Number of cells of the side.
FW_HD MapPlace map_place(std::int32_t pixel, std::uint32_t step, std::int32_t cells) {
  // Distance of the pixel's centre from that of the first cell; each centre is half a side from its edge.
  const std::uint32_t middle = static_cast<std::uint32_t>(pixel) * step + step / 2;
  const std::int32_t steps = static_cast<std::int32_t>(middle / (65536 / kMapSteps)) - kMapSteps / 2;
  const std::int32_t at = steps < 0 ? 0 : steps, cell = at / kMapSteps, last = cells - 1;
  return {cell < last ? cell : last, cell < last ? cell + 1 : last, at % kMapSteps};
}

/// Bilinear interpolation between four cells, in units of 1 / kMapSteps^2: a sum of 16-bit values with weights that add
/// up to 2^12.
FW_HD std::int32_t between_cells(std::int32_t above_first, std::int32_t above_second, std::int32_t below_first,
                                 std::int32_t below_second, std::int32_t across, std::int32_t down) {
  const std::int32_t above = above_first * (kMapSteps - across) + above_second * across;
  const std::int32_t below = below_first * (kMapSteps - across) + below_second * across;
  return above * (kMapSteps - down) + below * down;
}

/// Converts a value of between_cells() to the unit of the cells. Rounds only for values that use all 16 bits of a cell.
FW_HD float map_response(std::int32_t value) { return static_cast<float>(value) * (1.0f / (kMapSteps * kMapSteps)); }

/// The level that contains a map. @param map  In [0, number of maps).
FW_HD const MapLevel& level_of(const MapsView& maps, std::int32_t map) {
  std::int32_t level = 0;
  while (level + 1 < maps.num_levels && maps.levels[level + 1].first_map <= map) ++level;
  return maps.levels[level];
}

/// The first cell of a map. @param level  The map's level.
FW_HD const std::int16_t* cells_of(const MapsView& maps, const MapLevel& level, std::int32_t map) {
  return maps.values + level.offset + (map - level.first_map) * level.next_map;
}

/// The place of a pixel among the cells of a level. The value of a map there is a bilinear interpolation between the
/// centres of cells; beyond the outermost centres it is constant.
struct MapPixel {
  std::int32_t above_first, above_second, below_first, below_second;  ///< Cells, from the first one of a map.
  std::int32_t across, down;                                          ///< Weights, see MapPlace.

  FW_HD MapPixel(const MapLevel& level, std::int32_t x, std::int32_t y) {
    const MapPlace columns = map_place(x, level.col_step, level.cols), rows = map_place(y, level.row_step, level.rows);
    above_first = (rows.first * level.cols + columns.first) * level.next_cell;
    above_second = (rows.first * level.cols + columns.second) * level.next_cell;
    below_first = (rows.second * level.cols + columns.first) * level.next_cell;
    below_second = (rows.second * level.cols + columns.second) * level.next_cell;
    across = columns.weight;
    down = rows.weight;
  }
  /// @param cells  As returned by cells_of().
  FW_HD float value(const std::int16_t* cells) const {
    return map_response(
        between_cells(cells[above_first], cells[above_second], cells[below_first], cells[below_second], across, down));
  }
};

/// The value of a map at a pixel.
FW_HD float map_value(const MapsView& maps, std::int32_t map, std::int32_t x, std::int32_t y) {
  const MapLevel& level = level_of(maps, map);
  return MapPixel(level, x, y).value(cells_of(maps, level, map));
}

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
