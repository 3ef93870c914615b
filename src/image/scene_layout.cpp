// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/scene_layout.h"

#include <algorithm>
#include <array>
#include <vector>

namespace fernwood::image {

namespace {

struct Cells {
  const Geometry& geometry;
  std::vector<float> u, v;  ///< [col], [row]

  explicit Cells(const Geometry& geometry)
      : geometry(geometry),
        u(cell_rays(geometry.inverse.cols(), geometry.camera.cx, geometry.camera.fx)),
        v(cell_rays(geometry.inverse.rows(), geometry.camera.cy, geometry.camera.fy)) {}

  std::size_t rows() const { return geometry.inverse.rows(); }
  std::size_t cols() const { return geometry.inverse.cols(); }
};

Array2<std::int16_t> space_behind(const Cells& cells) {
  const Array2<float>& inverse = cells.geometry.inverse;
  const FloorAxes axes = floor_axes(cells.geometry.orientation.up);
  const std::int32_t quarter = bins_of_quarter(cells.geometry.camera);
  Array2<CellReach> reaches(cells.rows(), cells.cols());
  std::array<std::int16_t, 4 * kMaxBinsOfQuarter> farthest{};
  for (std::size_t row = 0; row < cells.rows(); ++row)
    for (std::size_t col = 0; col < cells.cols(); ++col) {
      if (!(inverse(row, col) > 0.0f)) continue;
      const CellReach reach = cell_reach(inverse(row, col), axes, quarter, cells.u[col], cells.v[row]);
      reaches(row, col) = reach;
      std::int16_t& most = farthest[static_cast<std::size_t>(reach.direction)];
      most = std::max(most, reach.distance_mm);
    }
  Array2<std::int16_t> behind(cells.rows(), cells.cols(), kUnknown);
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    const CellReach& reach = reaches.data()[i];
    if (inverse.data()[i] > 0.0f)
      behind.data()[i] = behind_value(reach, farthest[static_cast<std::size_t>(reach.direction)]);
  }
  return behind;
}

Array2<std::int16_t> height_above(const Cells& cells) {
  const Orientation& orientation = cells.geometry.orientation;
  Array2<std::int16_t> above(cells.rows(), cells.cols(), kUnknown);
  const auto cols = static_cast<std::int32_t>(cells.cols());
  const CellLines lines = cell_lines(orientation.up, static_cast<std::int32_t>(cells.rows()), cols);
  for (std::int32_t line = 0; line < lines.lines; ++line) {
    std::int32_t support = orientation.floor_mm;
    for (std::int32_t step = 0; step < lines.steps; ++step) {
      const std::int32_t cell = lines.cell(line, step);
      const float inverse = cells.geometry.inverse.data()[cell];
      if (!(inverse > 0.0f)) continue;
      const std::int32_t height =
          height_mm(cell_depth_mm(inverse), orientation.up, cells.u[static_cast<std::size_t>(cell % cols)],
                    cells.v[static_cast<std::size_t>(cell / cols)]);
      if (is_level(cells.geometry.upright.data()[cell])) support = height;
      above.data()[cell] = within_heights(height - support);
    }
  }
  return above;
}

}  // namespace

SceneLayout measure_scene_layout(const Geometry& geometry) {
  const Cells cells(geometry);
  return {space_behind(cells), height_above(cells)};
}

}  // namespace fernwood::image
