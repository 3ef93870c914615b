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

/// Most resolutions that the feature maps of a backbone may have, and that those of a frame may: its supplied maps have
/// one of their own, and so have the scores of a linear head.
inline constexpr int kMaxBackboneLevels = 4, kMaxMapLevels = kMaxBackboneLevels + 2;

/// In place of a channel's number: feature maps.
inline constexpr std::uint8_t kMapChannel = 254;

/// Feature maps of one resolution, for formulas: where they lie, and how much of a cell a pixel is.
struct MapLevel {
  std::int32_t rows = 0, cols = 0;  ///< Cells.
  std::int32_t first_map = 0;       ///< Number of the first map, among those of all levels.
  std::int32_t offset = 0;          ///< Of its first value.
  std::int32_t next_map = 0,
               next_cell = 1;  ///< From a map's value to the next map's, from a cell's to the next cell's.
  std::uint32_t row_step = 0, col_step = 0;  ///< Cells a pixel, in 1/65536; at most 65536.
};

/// The feature maps of a frame, for formulas.
struct MapsView {
  const std::int16_t* values = nullptr;  ///< [level][map][rows][cols]; on a GPU [level][rows][cols][map]
  std::int32_t num_levels = 0;
  MapLevel levels[kMaxMapLevels] = {};
};

/// The feature maps of a frame: coarse channels, which are read between their cells and have no integral images.
struct FeatureMaps {
  std::vector<MapLevel> levels;
  std::vector<std::int16_t> values;  ///< [level][map][rows][cols]

  MapsView view() const;
  std::size_t size_bytes() const { return values.size() * sizeof(std::int16_t); }
};

/// Least and greatest value of a supplied map in the frames of training, which become the 16 bits of its cells.
struct MapRange {
  float low = 0, high = 0;
  bool operator==(const MapRange&) const = default;
};

/// How a value becomes that of a cell.
struct MapScale {
  float low, steps;  ///< 16-bit steps a unit; 0: the map is the same everywhere.
};
MapScale scale_of(const MapRange& range);

/// Steps between the ends of a range, and of its middle, which is also what unknown is.
inline constexpr std::int32_t kRangeSteps = 65534, kRangeMiddle = kRangeSteps / 2;

/// The nearest whole step, in [-kRangeMiddle, kRangeMiddle]; what is out of range becomes its end, NaN its middle. One
/// subtraction, product and sum of floats, each rounded: the same on every processor and GPU.
FW_HD std::int16_t cell_value(float value, const MapScale& scale) {
  const float at = (value - scale.low) * scale.steps;
  if (!(at == at)) return 0;
  const float within = at < 0 ? 0.0f : at > kRangeSteps ? static_cast<float>(kRangeSteps) : at;
  return static_cast<std::int16_t>(static_cast<std::int32_t>(within + 0.5f) - kRangeMiddle);
}

/// Of pixels or cells.
struct GridSize {
  std::int32_t rows, cols;
};
/// The level of maps that come with a frame, planar as they come. @param first_map  Number of maps before them.
/// @param offset  Number of their values.
MapLevel supplied_level(GridSize frame, GridSize maps, std::int32_t first_map, std::size_t offset);

/// Adds a frame's supplied maps to those that are there. @param ranges     One for each, see check_frame().
/// @param first_map  Number of maps that are there.
void add_supplied_maps(const FrameImages& frame, const std::vector<MapRange>& ranges, std::int32_t first_map,
                       FeatureMaps& maps);

/// Widens ranges to the known, finite values of maps; of as many maps. None of a map: low is above high.
void widen(std::vector<MapRange>& ranges, const SuppliedMaps& maps);
/// What widen() begins with.
inline constexpr MapRange kNoRange = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()};

class GpuMapFinder;  // image/cuda/gpu_map_finder.h

/// Where feature maps come from: a backbone (see backbone/backbone.h).
class MapSource {
 public:
  virtual ~MapSource() = default;
  virtual std::string name() const = 0;      ///< As messages and tables call it.
  virtual std::string checksum() const = 0;  ///< 16 hexadecimal digits: sources with the same one give the same maps.
  virtual int num_maps() const = 0;
  virtual int reduction() const = 0;  ///< Frames are seen reduced by it each way.
  /// The file that it is made of, of which models keep a copy.
  virtual const std::vector<std::uint8_t>& bytes() const = 0;
  virtual std::string map_name(int map) const = 0;  ///< Such as "map 217 of stride 32".
  /// @param frame  On the host and plain. @param pool  Whose threads do it; null: the calling one alone.
  /// @throws Error(kData) for a frame without colour. May be called by several threads at once.
  virtual FeatureMaps find_maps(const FrameImages& frame, ThreadPool* pool) const = 0;
  /// What finds the same maps on the GPU in use; null in a build without CUDA.
  virtual std::shared_ptr<GpuMapFinder> on_gpu() const = 0;
};

/// Steps between two cells at which maps are read: an interpolated value has 2^12 times those of its cells.
inline constexpr std::int32_t kMapSteps = 64;

/// The two cells that a pixel lies between along one side, and the weight of the second in 1 / kMapSteps.
struct MapPlace {
  std::int32_t first, second, weight;
};
/// @param pixel  From 0 on, below 65536. @param step  See MapLevel.
FW_HD MapPlace map_place(std::int32_t pixel, std::uint32_t step, std::int32_t cells) {
  // The middle of the pixel, from the middle of the first cell: both have their middle half their size from their edge.
  const std::uint32_t middle = static_cast<std::uint32_t>(pixel) * step + step / 2;
  const std::int32_t steps = static_cast<std::int32_t>(middle / (65536 / kMapSteps)) - kMapSteps / 2;
  const std::int32_t at = steps < 0 ? 0 : steps, cell = at / kMapSteps, last = cells - 1;
  return {cell < last ? cell : last, cell < last ? cell + 1 : last, at % kMapSteps};
}

/// A value between four cells, in 1 / kMapSteps^2: the sum of 16-bit values by weights of together 2^12.
FW_HD std::int32_t between_cells(std::int32_t above_first, std::int32_t above_second, std::int32_t below_first,
                                 std::int32_t below_second, std::int32_t across, std::int32_t down) {
  const std::int32_t above = above_first * (kMapSteps - across) + above_second * across;
  const std::int32_t below = below_first * (kMapSteps - across) + below_second * across;
  return above * (kMapSteps - down) + below * down;
}

/// Such a value in the unit of its cells. Its conversion rounds only where cells have all of their 16 bits.
FW_HD float map_response(std::int32_t value) { return static_cast<float>(value) * (1.0f / (kMapSteps * kMapSteps)); }

/// The level of a map. @param map  In [0, number of maps).
FW_HD const MapLevel& level_of(const MapsView& maps, std::int32_t map) {
  std::int32_t level = 0;
  while (level + 1 < maps.num_levels && maps.levels[level + 1].first_map <= map) ++level;
  return maps.levels[level];
}

/// The first cell of a map. @param level  Of the map.
FW_HD const std::int16_t* cells_of(const MapsView& maps, const MapLevel& level, std::int32_t map) {
  return maps.values + level.offset + (map - level.first_map) * level.next_map;
}

/// The value of a map at a pixel, by bilinear interpolation between the middles of cells; beyond those at the border
/// their value.
FW_HD float map_value(const MapsView& maps, std::int32_t map, std::int32_t x, std::int32_t y) {
  const MapLevel& level = level_of(maps, map);
  const std::int16_t* cells = cells_of(maps, level, map);
  const MapPlace across = map_place(x, level.col_step, level.cols), down = map_place(y, level.row_step, level.rows);
  const std::int32_t next_row = level.cols * level.next_cell;
  const std::int32_t first = across.first * level.next_cell, second = across.second * level.next_cell;
  const std::int16_t* above = cells + down.first * next_row;
  const std::int16_t* below = cells + down.second * next_row;
  return map_response(
      between_cells(above[first], above[second], below[first], below[second], across.weight, down.weight));
}

}  // namespace fernwood::image
