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

/// [cell] Contribution of the maps of a level to a score.
std::vector<std::int32_t> partial_scores(const LinearHead& head, int score, const FeatureMaps& maps,
                                         const MapLevel& level, int num_maps) {
  const auto cells = static_cast<std::size_t>(level.rows) * static_cast<std::size_t>(level.cols);
  const std::int32_t* weights = head.weights.data() + score * head.num_maps + level.first_map;
  const std::int16_t* values = maps.values.data() + level.offset;
  std::vector<double> sums(cells, 0.0);  // exact, see partial_score(); SIMD has doubles, but no 64-bit products
  for (int map = 0; map < num_maps; ++map, values += cells) {
    const auto weight = static_cast<double>(weights[map]);
    for (std::size_t cell = 0; cell < cells; ++cell) sums[cell] += weight * static_cast<double>(values[cell]);
  }
  std::vector<std::int32_t> partial(cells);
  std::ranges::transform(sums, partial.begin(),
                         [&](double sum) { return partial_score(static_cast<std::int64_t>(sum), head.shift); });
  return partial;
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

MapLevel score_level(const MapLevel& finest, int first_map, std::size_t offset) {
  MapLevel level = finest;
  level.first_map = first_map;
  level.offset = static_cast<std::int32_t>(offset);
  level.next_map = level.rows * level.cols;
  level.next_cell = 1;
  return level;
}

void add_scores(const LinearHead& head, FeatureMaps& maps) {
  const std::vector<MapLevel> read = maps.levels;
  const MapLevel& finest =
      read[static_cast<std::size_t>(finest_level(read.data(), static_cast<std::int32_t>(read.size())))];
  const auto cells = static_cast<std::size_t>(finest.rows) * static_cast<std::size_t>(finest.cols);
  const std::size_t offset = maps.values.size();
  maps.values.resize(offset + cells * static_cast<std::size_t>(head.num_scores()));
  std::vector<std::int64_t> sums(cells);
  for (int score = 0; score < head.num_scores(); ++score) {
    std::ranges::fill(sums, std::int64_t{head.bias[static_cast<std::size_t>(score)]} * kMapSteps * kMapSteps);
    for (std::size_t l = 0; l < read.size(); ++l) {
      const int end = l + 1 < read.size() ? read[l + 1].first_map : head.num_maps;
      const std::vector<std::int32_t> partial = partial_scores(head, score, maps, read[l], end - read[l].first_map);
      std::int64_t* sum = sums.data();
      for (std::int32_t row = 0; row < finest.rows; ++row)
        for (std::int32_t col = 0; col < finest.cols; ++col)
          *sum++ += level_score(partial.data(), 1, read[l], finest, row, col);
    }
    std::ranges::transform(sums, maps.values.begin() + static_cast<std::ptrdiff_t>(offset + score * cells),
                           [](std::int64_t sum) { return score_value(sum); });
  }
  maps.levels.push_back(score_level(finest, head.num_maps, offset));
}

}  // namespace fernwood::image
