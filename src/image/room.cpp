// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/room.h"

#include <algorithm>
#include <array>
#include <vector>

namespace fernwood::image {

Room measure_room(const Geometry& geometry) {
  const std::size_t rows = geometry.inverse.rows(), cols = geometry.inverse.cols();
  const FloorAxes axes = floor_axes(geometry.orientation.up);
  const Camera& camera = geometry.camera;
  const std::int32_t quarter = bins_of_quarter(camera);
  const std::vector<float> u = cell_rays(cols, camera.cx, camera.fx), v = cell_rays(rows, camera.cy, camera.fy);
  Array2<CellReach> reaches(rows, cols);
  std::array<std::int16_t, 4 * kMostBinsOfQuarter> farthest{};
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col) {
      if (!(geometry.inverse(row, col) > 0.0f)) continue;
      const CellReach reach = cell_reach(geometry.inverse(row, col), axes, quarter, u[col], v[row]);
      reaches(row, col) = reach;
      std::int16_t& most = farthest[static_cast<std::size_t>(reach.direction)];
      most = std::max(most, reach.distance_mm);
    }
  Room room{Array2<std::int16_t>(rows, cols, kUnknown)};
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    const CellReach& reach = reaches.data()[i];
    if (geometry.inverse.data()[i] > 0.0f)
      room.behind.data()[i] = behind_value(reach, farthest[static_cast<std::size_t>(reach.direction)]);
  }
  return room;
}

}  // namespace fernwood::image
