// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Surfaces of a frame: one thread per cell finds its inverse depth, then its normal; the normals vote on the up
// direction, one launch per round, and a histogram of heights yields the floor. A frame of 640 x 480 has only 19,200
// cells, so no step should wait for a single block to process all cells. Sums are of whole numbers, so their order does
// not matter.

#include <cub/block/block_scan.cuh>

#include "core/cuda/launch.cuh"
#include "image/cuda/cell_surfaces.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 128, kWarps = kThreads / 32;

/// Sums over all cells; initially zero.
struct Tally {
  unsigned long long known;                   ///< Cells with a normal.
  unsigned long long up_votes[kUpRounds][4];  ///< [round] Members of UpVotes in their order, modulo 2^64.
  std::uint32_t heights[kHeightBins];
};

struct Cells {
  std::int32_t rows, cols;
  float* inverse;
  CellNormal* normals;
  std::int16_t *upright, *facing;  ///< kUnknown where depth is unknown.
  Tally* tally;

  __device__ std::int32_t size() const { return rows * cols; }
};

/// @param thread  Index of one of `threads` threads.
__device__ void clear(Tally* tally, std::int32_t thread, std::int32_t threads) {
  constexpr auto kWords = static_cast<std::int32_t>(sizeof(Tally) / sizeof(std::uint32_t));
  for (std::int32_t word = thread; word < kWords; word += threads) reinterpret_cast<std::uint32_t*>(tally)[word] = 0;
}

__global__ void cell_inverse_kernel(DepthSource depth, std::int32_t rows, std::int32_t cols, Cells cells) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  clear(cells.tally, cell, gridDim.x * kThreads);
  if (cell >= cells.size()) return;
  cells.inverse[cell] = inverse_of_cell(depth, rows, cols, cell / cells.cols, cell % cells.cols);
}

/// Adds a number from each thread of a block to a sum over all blocks.
__device__ void add_up(std::int32_t value, unsigned long long* sum) {
  __shared__ std::int32_t of_warp[kWarps];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  __syncthreads();  // all threads have read the previous sums
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < kWarps; ++warp) value += of_warp[warp];
  if (value != 0) atomicAdd(sum, static_cast<unsigned long long>(static_cast<std::int64_t>(value)));
}

/// Up direction after `rounds` rounds of votes. @param up  Initial direction, of length 1.
__device__ Vector3 up_after(const Tally& tally, int rounds, Vector3 up) {
  for (int round = 0; round < rounds; ++round) {
    const auto sum = [&](int member) { return static_cast<std::int64_t>(tally.up_votes[round][member]); };
    up = count_votes({sum(0), sum(1), sum(2), sum(3)}, static_cast<std::int64_t>(tally.known), up);
  }
  return up;
}

/// As up_after(), computed by one thread of a block for all.
__device__ Vector3 shared_up_after(const Tally& tally, int rounds, const Vector3& up) {
  __shared__ Vector3 found;
  if (threadIdx.x == 0) found = up_after(tally, rounds, normalised(up));
  __syncthreads();
  return found;
}

/// Called by all threads of a block; those without a cell or a normal do not vote.
__device__ void vote(Tally* tally, int round, bool has_normal, const CellNormal& normal, const Vector3& up) {
  const std::int32_t vote = has_normal ? up_vote(normal, up, up_limit(round)) : 0;
  unsigned long long* const sums = tally->up_votes[round];
  add_up(vote * normal.x, sums);
  add_up(vote * normal.y, sums + 1);
  add_up(vote * normal.z, sums + 2);
  add_up(vote != 0, sums + 3);
}

/// Computes normals, and runs the first round of votes while they are in registers. @param up  Approximate up
/// direction.
__global__ void __launch_bounds__(kThreads) normals_kernel(Cells cells, int radius, Camera camera, Vector3 up) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  const bool is_known = cell < cells.size() && cells.inverse[cell] > 0.0f;
  CellNormal normal;
  if (cell < cells.size()) {
    normal =
        normal_of_cell(cells.inverse, cells.rows, cells.cols, camera, cell / cells.cols, cell % cells.cols, radius);
    const float u = ray(cell_middle(cell % cells.cols), camera.cx, camera.fx);
    const float v = ray(cell_middle(cell / cells.cols), camera.cy, camera.fy);
    cells.normals[cell] = normal;
    cells.facing[cell] = is_known ? facing_value(normal, u, v) : kUnknown;
  }
  add_up(is_known, &cells.tally->known);
  vote(cells.tally, 0, is_known, normal, normalised(up));
}

/// @param up  Approximate up direction.
__global__ void __launch_bounds__(kThreads) vote_kernel(Cells cells, int round, Vector3 up) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  const Vector3 so_far = shared_up_after(*cells.tally, round, up);
  const bool is_known = cell < cells.size() && cells.inverse[cell] > 0.0f;
  vote(cells.tally, round, is_known, is_known ? cells.normals[cell] : CellNormal(), so_far);
}

/// Computes the uprightness of cells and the histogram of their heights.
__global__ void __launch_bounds__(kThreads) orient_kernel(Cells cells, Camera camera, Vector3 up) {
  __shared__ std::uint32_t heights[kHeightBins];
  for (int bin = threadIdx.x; bin < kHeightBins; bin += kThreads) heights[bin] = 0;
  up = shared_up_after(*cells.tally, kUpRounds, up);
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  const float inverse = cell < cells.size() ? cells.inverse[cell] : 0.0f;
  if (cell < cells.size()) cells.upright[cell] = inverse > 0.0f ? upright_value(cells.normals[cell], up) : kUnknown;
  if (inverse > 0.0f) {
    const float u = ray(cell_middle(cell % cells.cols), camera.cx, camera.fx);
    const float v = ray(cell_middle(cell / cells.cols), camera.cy, camera.fy);
    atomicAdd(&heights[height_bin(height_mm(cell_depth_mm(inverse), up, u, v))], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kHeightBins; bin += kThreads)
    if (heights[bin] > 0) atomicAdd(&cells.tally->heights[bin], heights[bin]);
}

/// floor_height_mm() in one block, one thread per bin.
__global__ void __launch_bounds__(kHeightBins) floor_kernel(const Tally* tally, Vector3 up, Orientation* orientation) {
  using Scan = cub::BlockScan<std::uint32_t, kHeightBins>;
  __shared__ typename Scan::TempStorage scratch;
  __shared__ std::int32_t floor_bin;
  const auto bin = static_cast<std::int32_t>(threadIdx.x);
  if (bin == 0) floor_bin = kHeightBins - 1;
  std::uint32_t below;
  Scan(scratch).InclusiveSum(tally->heights[bin], below);
  __syncthreads();
  if (is_above_floor(below, static_cast<std::int64_t>(tally->known))) atomicMin(&floor_bin, bin);
  __syncthreads();
  if (bin == 0) *orientation = {up_after(*tally, kUpRounds, normalised(up)), bin_height_mm(floor_bin)};
}

}  // namespace

void GeometryMeasure::make_room(std::int32_t rows, std::int32_t cols) {
  const std::size_t size = num_cells(rows, cols);
  inverse_.resize(size);
  normals_.resize(size);
  upright_.resize(size);
  facing_.resize(size);
  tally_.resize(sizeof(Tally));
  orientation_.resize(1);
}

GeometryView GeometryMeasure::measure(const DepthSource& depth, std::int32_t rows, std::int32_t cols,
                                      const Camera& camera, const Vector3& up, const cuda::Stream& stream) {
  const Camera of_frame = scaled(camera, static_cast<std::size_t>(cols), static_cast<std::size_t>(rows));
  const std::int32_t cell_rows = geometry_cells(rows), cell_cols = geometry_cells(cols);
  auto* const tally = reinterpret_cast<Tally*>(tally_.data());
  const Cells cells = {cell_rows, cell_cols, inverse_.data(), normals_.data(), upright_.data(), facing_.data(), tally};
  const unsigned blocks = cuda::blocks_for(num_cells(rows, cols), kThreads);
  cuda::launch("cells", cell_inverse_kernel, blocks, kThreads, 0, stream, depth, rows, cols, cells);
  cuda::launch("normals", normals_kernel, blocks, kThreads, 0, stream, cells, radius_, of_frame, up);
  for (int round = 1; round < kUpRounds; ++round)
    cuda::launch("votes on up", vote_kernel, blocks, kThreads, 0, stream, cells, round, up);
  cuda::launch("heights", orient_kernel, blocks, kThreads, 0, stream, cells, of_frame, up);
  cuda::launch("floor", floor_kernel, 1, kHeightBins, 0, stream, static_cast<const Tally*>(tally), up,
               orientation_.data());
  return {of_frame, orientation_.data(), inverse_.data(), upright_.data(), facing_.data()};
}

}  // namespace fernwood::image
