// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/geometry.h"

#include <algorithm>
#include <array>
#include <vector>

#include "image/geometry_kernels.h"

namespace fernwood::image {

FW_ISA_TABLES(GeometryKernels, geometry_kernels_table)

const GeometryKernels& geometry_kernels(Isa isa) { return geometry_kernels_table_of(isa); }

namespace {

/// Inverse depth of all cells with a margin of unknown cells, so that no loop needs bounds checks for neighbours.
Array2<float> cell_inverses(View2<const std::uint16_t> depth_mm, ThreadPool* pool) {
  const std::size_t rows = depth_mm.rows, cols = depth_mm.cols;
  const auto cells = [](std::size_t pixels) {
    return static_cast<std::size_t>(geometry_cells(static_cast<std::int32_t>(pixels)));
  };
  Array2<float> inverse(cells(rows) + 2 * kPlaneRadius, cells(cols) + 2 * kPlaneRadius, 0.0f);
  for_each(pool, cells(rows), [&](std::size_t row) {
    std::vector<std::uint32_t> sums(cells(cols), 0u), known(cells(cols), 0u);
    for (std::size_t y = row * kCellSize; y < std::min(rows, (row + 1) * kCellSize); ++y)
      for (std::size_t x = 0; x < cols; ++x) {
        const std::uint32_t of_pixel = inverse_depth(depth_mm(y, x));
        sums[x / kCellSize] += of_pixel;
        known[x / kCellSize] += of_pixel > 0;
      }
    float* out = inverse.row(row + kPlaneRadius) + kPlaneRadius;
    for (std::size_t i = 0; i < sums.size(); ++i) out[i] = cell_inverse(sums[i], known[i]);
  });
  return inverse;
}

Vector3 find_up(const Surfaces& surfaces, Vector3 up) {
  up = normalised(up);
  for (int round = 0; round < kUpRounds; ++round) {
    UpVotes sum;
    std::int64_t cells = 0;
    surfaces.for_each_known([&](std::size_t row, std::size_t col) {
      const CellNormal& normal = surfaces.normals(row, col);
      const std::int32_t vote = up_vote(normal, up, up_limit(round));
      ++cells;
      sum.votes += vote != 0;
      sum.x += vote * normal.x;
      sum.y += vote * normal.y;
      sum.z += vote * normal.z;
    });
    up = count_votes(sum, cells, up);
  }
  return up;
}

}  // namespace

Surfaces find_surfaces(View2<const std::uint16_t> depth_mm, const Camera& camera, ThreadPool* pool, int radius) {
  Surfaces found;
  found.inverse = cell_inverses(depth_mm, pool);
  const std::size_t rows = found.inverse.rows() - 2 * kPlaneRadius, cols = found.inverse.cols() - 2 * kPlaneRadius;
  found.normals = Array2<CellNormal>(rows, cols);
  static const GeometryKernels& kernels = geometry_kernels(available_isas().back());
  for_each(pool, rows, [&](std::size_t row) {
    std::vector<PlaneSums> planes(cols);
    kernels.sum_planes({found.inverse.row(row + kPlaneRadius) + kPlaneRadius, found.inverse.cols(), cols}, radius,
                       planes.data());
    for (std::size_t col = 0; col < cols; ++col)
      found.normals(row, col) = fit_normal(planes[col], camera, cell_middle(static_cast<std::int32_t>(col)),
                                           cell_middle(static_cast<std::int32_t>(row)), found.inverse_of(row, col));
  });
  return found;
}

std::vector<float> cell_rays(std::size_t cells, float center, float focal) {
  std::vector<float> rays(cells);
  for (std::size_t i = 0; i < cells; ++i) rays[i] = ray(cell_middle(static_cast<std::int32_t>(i)), center, focal);
  return rays;
}

Geometry measure_geometry(View2<const std::uint16_t> depth_mm, const Camera& camera, const Vector3& up,
                          ThreadPool* pool, int radius) {
  Geometry geometry;
  geometry.camera = scaled(camera, depth_mm.cols, depth_mm.rows);
  const Surfaces surfaces = find_surfaces(depth_mm, geometry.camera, pool, radius);
  geometry.orientation.up = find_up(surfaces, up);
  const Vector3& found_up = geometry.orientation.up;
  const std::size_t rows = surfaces.normals.rows(), cols = surfaces.normals.cols();
  const std::vector<float> u = cell_rays(cols, geometry.camera.cx, geometry.camera.fx);
  const std::vector<float> v = cell_rays(rows, geometry.camera.cy, geometry.camera.fy);
  geometry.upright = geometry.facing = Array2<std::int16_t>(rows, cols, kUnknown);
  geometry.inverse = Array2<float>(rows, cols, 0.0f);
  constexpr std::int32_t kNoBin = -1;
  Array2<std::int32_t> bins(rows, cols, kNoBin);
  for_each(pool, rows, [&](std::size_t row) {
    for (std::size_t col = 0; col < cols; ++col) {
      const float inverse = surfaces.inverse_of(row, col);
      if (!(inverse > 0.0f)) continue;
      bins(row, col) = height_bin(height_mm(cell_depth_mm(inverse), found_up, u[col], v[row]));
      geometry.inverse(row, col) = inverse;
      geometry.upright(row, col) = upright_value(surfaces.normals(row, col), found_up);
      geometry.facing(row, col) = facing_value(surfaces.normals(row, col), u[col], v[row]);
    }
  });
  std::array<std::int64_t, kHeightBins> heights{};
  std::int64_t cells = 0;
  for (const std::int32_t bin : bins) {
    if (bin == kNoBin) continue;
    ++heights[static_cast<std::size_t>(bin)];
    ++cells;
  }
  geometry.orientation.floor_mm = floor_height_mm(heights, cells);
  return geometry;
}

}  // namespace fernwood::image
