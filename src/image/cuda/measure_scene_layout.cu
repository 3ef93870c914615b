// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Position of a frame's surfaces in the room. One thread per cell computes its position on the floor and updates the
// maximum distance in its direction, then reads that maximum. Maxima of whole numbers do not depend on the order. Then
// one warp per line of cells moves upwards, 32 cells at a time, and finds the level surface below each cell by a
// ballot.

#include <algorithm>

#include "core/cuda/launch.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 128, kWarps = kThreads / 32;

struct RoomCells {
  std::int32_t rows, cols;
  CellReach* reaches;
  std::int32_t* farthest;
  std::int16_t *behind, *above;

  __device__ std::int32_t size() const { return rows * cols; }
};

__global__ void reaches_kernel(RoomCells cells, GeometryView geometry) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  if (cell >= cells.size() || !(geometry.inverse[cell] > 0.0f)) return;
  const FloorAxes axes = floor_axes(geometry.orientation->up);
  const float u = ray(cell_middle(cell % cells.cols), geometry.camera.cx, geometry.camera.fx);
  const float v = ray(cell_middle(cell / cells.cols), geometry.camera.cy, geometry.camera.fy);
  const CellReach reach = cell_reach(geometry.inverse[cell], axes, bins_of_quarter(geometry.camera), u, v);
  cells.reaches[cell] = reach;
  atomicMax(&cells.farthest[reach.direction], reach.distance_mm);
}

__device__ void find_behind(const RoomCells& cells, const GeometryView& geometry) {
  const std::int32_t cell = (blockIdx.x * kWarps + threadIdx.y) * 32 + threadIdx.x;
  if (cell >= cells.size()) return;
  std::int16_t behind = kUnknown;
  if (geometry.inverse[cell] > 0.0f) {
    const CellReach reach = cells.reaches[cell];
    behind = behind_value(reach, cells.farthest[reach.direction]);
  }
  cells.behind[cell] = behind;
}

__device__ void find_above(const RoomCells& cells, const GeometryView& geometry) {
  const Orientation orientation = *geometry.orientation;
  const CellLines lines = cell_lines(orientation.up, cells.rows, cells.cols);
  const std::int32_t line = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
  if (line >= lines.lines) return;
  std::int32_t support = orientation.floor_mm;  // below these 32 cells
  for (std::int32_t first = 0; first < lines.steps; first += 32) {
    const bool inside = first + lane < lines.steps;
    const std::int32_t cell = inside ? lines.cell(line, first + lane) : 0;
    const float inverse = inside ? geometry.inverse[cell] : 0.0f;
    const bool known = inverse > 0.0f;
    std::int32_t height = 0;
    if (known) {
      const float u = ray(cell_middle(cell % cells.cols), geometry.camera.cx, geometry.camera.fx);
      const float v = ray(cell_middle(cell / cells.cols), geometry.camera.cy, geometry.camera.fy);
      height = height_mm(cell_depth_mm(inverse), orientation.up, u, v);
    }
    const std::uint32_t level = __ballot_sync(~0u, known && is_level(geometry.upright[cell]));
    const std::uint32_t below = level & ((2u << lane) - 1);  // including this one
    const std::int32_t nearest = __shfl_sync(~0u, height, below ? 31 - __clz(below) : lane);
    if (inside) cells.above[cell] = known ? within_heights(height - (below ? nearest : support)) : kUnknown;
    const std::int32_t highest = __shfl_sync(~0u, height, level ? 31 - __clz(level) : 0);
    if (level) support = highest;
  }
}

/// The two parts are independent: one launch does both.
__global__ void __launch_bounds__(kThreads) places_kernel(RoomCells cells, GeometryView geometry) {
  if (blockIdx.y == 0)
    find_behind(cells, geometry);
  else
    find_above(cells, geometry);
}

}  // namespace

void RoomMeasure::make_room(std::int32_t rows, std::int32_t cols) {
  const std::size_t size = num_cells(rows, cols);
  reaches_.resize(size);
  behind_.resize(size);
  above_.resize(size);
  farthest_.resize(4 * kMaxBinsOfQuarter);
}

RoomView RoomMeasure::measure(const GeometryView& geometry, std::int32_t rows, std::int32_t cols,
                              const cuda::Stream& stream) {
  const std::int32_t cell_rows = geometry_cells(rows), cell_cols = geometry_cells(cols);
  cuda::fill_with_zeros(farthest_.view(), stream);
  const RoomCells cells = {cell_rows, cell_cols, reaches_.data(), farthest_.data(), behind_.data(), above_.data()};
  const unsigned blocks = cuda::blocks_for(num_cells(rows, cols), kThreads);
  cuda::launch("reaches", reaches_kernel, blocks, kThreads, 0, stream, cells, geometry);
  const auto lines = static_cast<std::size_t>(std::max(cell_rows, cell_cols));
  const dim3 both(std::max(blocks, cuda::blocks_for(lines, kWarps)), 2);
  cuda::launch("free space behind and height above", places_kernel, both, dim3(32, kWarps), 0, stream, cells, geometry);
  return {behind_.data(), above_.data()};
}

}  // namespace fernwood::image
