// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/feature_maps.h"

#include <algorithm>
#include <cmath>

namespace fernwood::image {

namespace {

/// Cells per pixel, see MapLevel.
std::uint32_t cell_step(std::int32_t cells, std::int32_t pixels) {
  return static_cast<std::uint32_t>((std::int64_t{cells} << 16) / pixels);
}

GridSize grid_size(std::size_t rows, std::size_t cols) {
  return {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols)};
}

}  // namespace

MapsView FeatureMaps::view() const {
  MapsView view = {.values = values.data(), .num_levels = static_cast<std::int32_t>(levels.size())};
  std::ranges::copy(levels, view.levels);
  return view;
}

MapScale scale_of(const MapRange& range) {
  const double span = static_cast<double>(range.high) - static_cast<double>(range.low);
  const auto steps = static_cast<float>(kRangeSteps / span);
  return {range.low, span > 0 && std::isfinite(steps) ? steps : 0};
}

MapLevel supplied_level(GridSize frame, GridSize maps, std::int32_t first_map, std::size_t offset) {
  return {.rows = maps.rows,
          .cols = maps.cols,
          .first_map = first_map,
          .offset = static_cast<std::int32_t>(offset),
          .next_map = maps.rows * maps.cols,
          .next_cell = 1,
          .row_step = cell_step(maps.rows, frame.rows),
          .col_step = cell_step(maps.cols, frame.cols)};
}

void add_supplied_maps(const FrameImages& frame, const std::vector<MapRange>& ranges, std::int32_t first_map,
                       FeatureMaps& maps) {
  const std::size_t cells = frame.map_rows * frame.map_cols, offset = maps.values.size();
  maps.levels.push_back(
      supplied_level(grid_size(frame.rows, frame.cols), grid_size(frame.map_rows, frame.map_cols), first_map, offset));
  maps.values.resize(offset + ranges.size() * cells);
  const float* in = frame.maps;
  std::int16_t* out = maps.values.data() + offset;
  for (const MapRange& range : ranges) {
    const MapScale scale = scale_of(range);
    for (std::size_t cell = 0; cell < cells; ++cell) *out++ = cell_value(*in++, scale);
  }
}

void widen(std::vector<MapRange>& ranges, const SuppliedMaps& maps) {
  const std::size_t cells = maps.rows * maps.cols;
  const float* value = maps.values.data();
  for (MapRange& range : ranges)
    for (std::size_t cell = 0; cell < cells; ++cell, ++value) {
      if (!std::isfinite(*value)) continue;
      range.low = std::min(range.low, *value);
      range.high = std::max(range.high, *value);
    }
}

}  // namespace fernwood::image
