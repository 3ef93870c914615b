// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The motion between two frames: one launch per iteration, one thread per cell. Equations are summed in whole numbers,
// so their order does not matter, and the last block of a launch updates the motion.

#include "core/cuda/launch.cuh"
#include "image/cuda/cell_surfaces.cuh"
#include "image/cuda/registration.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 128;

__global__ void surface_cells_kernel(DepthSource depth, std::int32_t rows, std::int32_t cols, std::int32_t cell_cols,
                                     std::int32_t num_cells, float* inverse) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  if (cell < num_cells) inverse[cell] = inverse_of_cell(depth, rows, cols, cell / cell_cols, cell % cell_cols);
}

__global__ void surface_normals_kernel(const float* inverse, std::int32_t rows, std::int32_t cols, Camera camera,
                                       CellNormal* normals) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  if (cell < rows * cols) normals[cell] = normal_of_cell(inverse, rows, cols, camera, cell / cols, cell % cols);
}

/// State passed from launch to launch of a search.
struct SearchState {
  MotionSums sums;             ///< Zero between launches.
  std::uint32_t num_done = 0;  ///< Finished blocks of the launch; 0 between launches.
  bool is_over = false;        ///< A previous attempt has found a motion.
};

/// Starts an attempt. @param start  Initial motion of the first attempt; null: starts from no motion, unless a motion
/// was found already.
__global__ void begin_kernel(const RigidMotion* start, FoundMotion* found, SearchState* state) {
  if (start == nullptr && found->is_known) {
    state->is_over = true;
    return;
  }
  *found = {start != nullptr ? *start : RigidMotion(), true};
  *state = {};
}

__device__ std::int64_t sum_of_warp(std::int64_t value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

__device__ void add_to(std::int64_t* sum, std::int64_t value, int lane) {
  const std::int64_t of_warp = sum_of_warp(value);
  if (lane == 0 && of_warp != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(of_warp));
}

struct StepArgs {
  SurfaceView from, to;
  RegistrationStage stage;
  std::int32_t rows, cols;  ///< Of the sampled cells.
  FoundMotion* found;       ///< Updated. If it is not known, the attempt has failed.
  SearchState* state;
};

__global__ void __launch_bounds__(kThreads) step_kernel(StepArgs a) {
  if (a.state->is_over || !a.found->is_known) return;
  const std::int32_t index = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
  MotionSums sums;
  if (index < a.rows * a.cols)
    add_equation(cell_equation(a.from, a.to, a.found->motion, a.stage.farthest_m,
                               a.stage.step / 2 + index / a.cols * a.stage.step,
                               a.stage.step / 2 + index % a.cols * a.stage.step),
                 sums);
  MotionSums& all = a.state->sums;
  for (int i = 0; i < kMatrixNumbers; ++i) add_to(&all.matrix[i], sums.matrix[i], lane);
  for (int i = 0; i < kMotionNumbers; ++i) add_to(&all.right[i], sums.right[i], lane);
  add_to(&all.asked, sums.asked, lane);
  add_to(&all.found, sums.found, lane);
  __threadfence();
  __syncthreads();
  if (threadIdx.x > 0 || atomicAdd(&a.state->num_done, 1u) + 1 < gridDim.x) return;
  __threadfence();
  const BetterMotion better = better_motion(all, a.found->motion);
  *a.found = {better.motion, better.is_known};
  *a.state = {};
}

std::int32_t asked(std::int32_t cells, const RegistrationStage& stage) {
  return (cells - stage.step / 2 + stage.step - 1) / stage.step;
}

}  // namespace

void GpuSurfaces::measure(const std::uint16_t* depth_mm, std::int32_t rows, std::int32_t cols, const Camera& camera,
                          const cuda::Stream& stream) {
  camera_ = camera;
  rows_ = geometry_cells(rows);
  cols_ = geometry_cells(cols);
  const std::size_t size = num_cells(rows, cols);
  inverse_.resize(size);
  normals_.resize(size);
  const unsigned blocks = cuda::blocks_for(size, kThreads);
  cuda::launch("cells", surface_cells_kernel, blocks, kThreads, 0, stream, DepthSource{depth_mm, nullptr}, rows, cols,
               cols_, rows_ * cols_, inverse_.data());
  cuda::launch("normals", surface_normals_kernel, blocks, kThreads, 0, stream,
               static_cast<const float*>(inverse_.data()), rows_, cols_, camera, normals_.data());
}

SurfaceView GpuSurfaces::view() const { return {camera_, inverse_.data(), cols_, normals_.data(), rows_, cols_}; }

GpuRegistration::GpuRegistration() : state_(sizeof(SearchState)) {}

void GpuRegistration::find(const SurfaceView& from, const SurfaceView& to, const RigidMotion* start, FoundMotion* found,
                           const cuda::Stream& stream) {
  auto* const state = reinterpret_cast<SearchState*>(state_.data());
  const auto search = [&](const RigidMotion* begin) {
    cuda::launch("the search for a motion", begin_kernel, 1, 1, 0, stream, begin, found, state);
    for (const RegistrationStage& stage : kRegistrationStages) {
      const std::int32_t rows = asked(from.rows, stage), cols = asked(from.cols, stage);
      const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
      for (int i = 0; i < stage.iterations; ++i)
        cuda::launch("a motion's step", step_kernel, cuda::blocks_for(size, kThreads), kThreads, 0, stream,
                     StepArgs{from, to, stage, rows, cols, found, state});
    }
  };
  search(start);
  search(nullptr);
}

}  // namespace fernwood::image
