// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Surfaces of a frame: a thread for each cell finds its inverse depth, then its normal; then one block lets the normals
// vote on where up is, finds the floor and says how upright cells are. A frame of 640 x 480 has 19,200 cells: little
// work, so a single block, which needs no launch for each round, is quick enough.

#include "core/cuda/launch.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 128, kOrientThreads = 1024, kOrientWarps = kOrientThreads / 32;

struct Cells {
  std::int32_t rows, cols;
  float* inverse;
  CellNormal* normals;
  std::int16_t *upright, *facing;  ///< kUnknown where depth is.

  __device__ std::int32_t size() const { return rows * cols; }
};

__global__ void cell_inverse_kernel(DepthSource depth, std::int32_t rows, std::int32_t cols, Cells cells) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  if (cell >= cells.size()) return;
  const std::int32_t top = cell / cells.cols * kCellSize, left = cell % cells.cols * kCellSize;
  std::uint32_t sum = 0, known = 0;
  for (std::int32_t y = top; y < min(top + kCellSize, rows); ++y) {
    const std::uint16_t* row = depth.depth_mm + static_cast<std::size_t>(source_row(depth, y, rows)) * cols;
    for (std::int32_t x = left; x < min(left + kCellSize, cols); ++x) {
      const std::uint32_t of_pixel = inverse_depth(row[x]);
      sum += of_pixel;
      known += of_pixel > 0;
    }
  }
  cells.inverse[cell] = cell_inverse(sum, known);
}

__global__ void normals_kernel(Cells cells, Camera camera) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  if (cell >= cells.size()) return;
  const std::int32_t row = cell / cells.cols, col = cell % cells.cols;
  const float middle = cells.inverse[cell];
  PlaneSums sums;
  // In the order of the CPU, whose cells have a margin of unknown ones.
  for (int dy = -kPlaneRadius; dy <= kPlaneRadius; ++dy)
    for (int dx = -kPlaneRadius; dx <= kPlaneRadius; ++dx) {
      const bool inside = row + dy >= 0 && row + dy < cells.rows && col + dx >= 0 && col + dx < cells.cols;
      const float inverse = inside ? cells.inverse[cell + dy * cells.cols + dx] : 0.0f;
      sums.add(static_cast<float>(dx), static_cast<float>(dy), inverse, middle);
    }
  const CellNormal normal = fit_normal(sums, camera, cell_middle(col), cell_middle(row), middle);
  const float u = ray(cell_middle(col), camera.cx, camera.fx), v = ray(cell_middle(row), camera.cy, camera.fy);
  cells.normals[cell] = normal;
  cells.facing[cell] = middle > 0.0f ? facing_value(normal, u, v) : kUnknown;
}

/// Sum over a block; every thread gets it.
__device__ std::int64_t block_sum(std::int64_t value) {
  __shared__ std::int64_t of_warp[kOrientWarps];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  __syncthreads();  // all have read the sums before
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[threadIdx.x % 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

__device__ Vector3 vote_on_up(const Cells& cells, std::int64_t known, Vector3 up) {
  for (int round = 0; round < kUpRounds; ++round) {
    UpVotes own;
    for (std::int32_t cell = threadIdx.x; cell < cells.size(); cell += kOrientThreads) {
      if (!(cells.inverse[cell] > 0.0f)) continue;
      const CellNormal normal = cells.normals[cell];
      const std::int32_t vote = up_vote(normal, up, up_limit(round));
      own.votes += vote != 0;
      own.x += vote * normal.x;
      own.y += vote * normal.y;
      own.z += vote * normal.z;
    }
    const UpVotes sum = {block_sum(own.x), block_sum(own.y), block_sum(own.z), block_sum(own.votes)};
    up = count_votes(sum, known, up);
  }
  return up;
}

__global__ void __launch_bounds__(kOrientThreads)
    orient_kernel(Cells cells, Camera camera, Vector3 up, Orientation* orientation) {
  __shared__ std::uint32_t heights[kHeightBins];
  for (int bin = threadIdx.x; bin < kHeightBins; bin += kOrientThreads) heights[bin] = 0;
  std::int64_t own = 0;
  for (std::int32_t cell = threadIdx.x; cell < cells.size(); cell += kOrientThreads) own += cells.inverse[cell] > 0.0f;
  const std::int64_t known = block_sum(own);
  up = vote_on_up(cells, known, normalised(up));
  __syncthreads();
  for (std::int32_t cell = threadIdx.x; cell < cells.size(); cell += kOrientThreads) {
    const float inverse = cells.inverse[cell];
    cells.upright[cell] = inverse > 0.0f ? upright_value(cells.normals[cell], up) : kUnknown;
    if (!(inverse > 0.0f)) continue;
    const float u = ray(cell_middle(cell % cells.cols), camera.cx, camera.fx);
    const float v = ray(cell_middle(cell / cells.cols), camera.cy, camera.fy);
    atomicAdd(&heights[height_bin(height_mm(cell_depth_mm(inverse), up, u, v))], 1u);
  }
  __syncthreads();
  if (threadIdx.x == 0) *orientation = {up, floor_height_mm(heights, known)};
}

}  // namespace

GeometryView GeometryMeasure::measure(const DepthSource& depth, std::int32_t rows, std::int32_t cols,
                                      const Camera& camera, const Vector3& up, const cuda::Stream& stream) {
  const Camera of_frame = scaled(camera, static_cast<std::size_t>(cols), static_cast<std::size_t>(rows));
  const std::int32_t cell_rows = geometry_cells(rows), cell_cols = geometry_cells(cols);
  const auto size = static_cast<std::size_t>(cell_rows) * static_cast<std::size_t>(cell_cols);
  inverse_.resize(size);
  normals_.resize(size);
  upright_.resize(size);
  facing_.resize(size);
  orientation_.resize(1);
  const Cells cells = {cell_rows, cell_cols, inverse_.data(), normals_.data(), upright_.data(), facing_.data()};
  const unsigned blocks = cuda::blocks_for(size, kThreads);
  cuda::launch("cells", cell_inverse_kernel, blocks, kThreads, 0, stream, depth, rows, cols, cells);
  cuda::launch("normals", normals_kernel, blocks, kThreads, 0, stream, cells, of_frame);
  cuda::launch("up and floor", orient_kernel, 1, kOrientThreads, 0, stream, cells, of_frame, up, orientation_.data());
  return {of_frame, orientation_.data(), inverse_.data(), upright_.data(), facing_.data()};
}

}  // namespace fernwood::image
