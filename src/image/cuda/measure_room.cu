// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Where the surfaces of a frame lie in their room: a thread for each cell finds its place on the floor and reports how
// far it is, then asks how far others in its direction are. Greatest whole numbers do not depend on who comes first.

#include "core/cuda/launch.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 128;

struct RoomCells {
  std::int32_t rows, cols;
  CellReach* reaches;
  std::int32_t* farthest;
  std::int16_t* behind;

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

__global__ void behind_kernel(RoomCells cells, GeometryView geometry) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  if (cell >= cells.size()) return;
  std::int16_t behind = kUnknown;
  if (geometry.inverse[cell] > 0.0f) {
    const CellReach reach = cells.reaches[cell];
    behind = behind_value(reach, cells.farthest[reach.direction]);
  }
  cells.behind[cell] = behind;
}

}  // namespace

RoomView RoomMeasure::measure(const GeometryView& geometry, std::int32_t rows, std::int32_t cols,
                              const cuda::Stream& stream) {
  const std::int32_t cell_rows = geometry_cells(rows), cell_cols = geometry_cells(cols);
  const auto size = static_cast<std::size_t>(cell_rows) * static_cast<std::size_t>(cell_cols);
  reaches_.resize(size);
  behind_.resize(size);
  farthest_.resize(4 * kMostBinsOfQuarter);
  cuda::fill_with_zeros(farthest_.view(), stream);
  const RoomCells cells = {cell_rows, cell_cols, reaches_.data(), farthest_.data(), behind_.data()};
  const unsigned blocks = cuda::blocks_for(size, kThreads);
  cuda::launch("reaches", reaches_kernel, blocks, kThreads, 0, stream, cells, geometry);
  cuda::launch("free space behind", behind_kernel, blocks, kThreads, 0, stream, cells, geometry);
  return {behind_.data()};
}

}  // namespace fernwood::image
