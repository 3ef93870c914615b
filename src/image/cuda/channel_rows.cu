// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 1 of preparing a frame: channels, and prefix sums along the rows.
// One block per (row of the planes, channel set); its threads take neighbouring pixels, tile after tile, and hold the
// values of all planes of the set: three shuffling scans cost little more than one.

#include "core/cuda/launch.cuh"
#include "image/channel_formulas.h"
#include "image/cuda/channel_rows.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

// Each gives the values of one row: `row(x, values)` sets what pixel x adds to each of its kNumPlanes planes.

struct LabRow {
  static constexpr int kNumPlanes = 3;
  const Rgb* color;
  const LabTables& tables;

  __device__ void operator()(int x, std::uint32_t* values) const {
    const Lab lab = rgb_to_lab(color[x], tables);
    values[0] = known_value(lab.l);
    values[1] = known_value(lab.a);
    values[2] = known_value(lab.b);
  }
};

struct RgbRow {
  static constexpr int kNumPlanes = 3;
  const Rgb* color;

  __device__ void operator()(int x, std::uint32_t* values) const {
    values[0] = known_value(primary_value(color[x].r));
    values[1] = known_value(primary_value(color[x].g));
    values[2] = known_value(primary_value(color[x].b));
  }
};

struct GradientRow {
  static constexpr int kNumPlanes = 1;
  const Rgb *above, *here, *below;
  int cols;

  __device__ void operator()(int x, std::uint32_t* values) const {
    std::int16_t grey[3][3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const int column = min(max(x + i - 1, 0), cols - 1);
      grey[0][i] = grey_of(above[column]);
      grey[1][i] = grey_of(here[column]);
      grey[2][i] = grey_of(below[column]);
    }
    values[0] = known_value(gradient_value(grey[0], grey[1], grey[2], 0, 1, 2));
  }
};

struct DepthRow {
  static constexpr int kNumPlanes = 1;
  const std::uint16_t* depth_mm;

  __device__ void operator()(int x, std::uint32_t* values) const { values[0] = known_value(depth_value(depth_mm[x])); }
};

/// Counts the pixels whose depth is known.
struct KnownRow {
  static constexpr int kNumPlanes = 1;
  const std::uint16_t* depth_mm;

  __device__ void operator()(int x, std::uint32_t* values) const { values[0] = is_known_depth(depth_mm[x]); }
};

struct HeightRow {
  static constexpr int kNumPlanes = 1;
  const std::uint16_t* depth_mm;
  const Camera& camera;
  const Orientation orientation;
  float v;

  __device__ void operator()(int x, std::uint32_t* values) const {
    const float u = ray(static_cast<float>(x), camera.cx, camera.fx);
    values[0] = known_value(height_value(depth_mm[x], orientation.up, u, v, orientation.floor_mm));
  }
};

/// @param kFacing  Or else upright.
template <bool kFacing>
struct DirectionRow {
  static constexpr int kNumPlanes = 1;
  const std::uint16_t* depth_mm;
  const CellNormal* normals;  ///< Of the row's cells.
  const Camera& camera;
  const Vector3 up;
  float v;  ///< Of the row of cells.

  __device__ void operator()(int x, std::uint32_t* values) const {
    const CellNormal normal = normals[x / kCellSize];
    const float u = ray(cell_middle(x / kCellSize), camera.cx, camera.fx);
    const std::int16_t value = kFacing ? facing_value(normal, u, v) : upright_value(normal, up);
    values[0] = is_known_depth(depth_mm[x]) ? known_value(value) : 0;
  }
};

__device__ std::uint32_t warp_prefix_sum(std::uint32_t value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t below = __shfl_up_sync(~0u, value, step);
    value += lane >= step ? below : 0;
  }
  return value;
}

/// Writes the prefix sums of a row. @param out  [plane] Where the row of each plane begins.
template <typename Row>
__device__ void sum_row(const Row& row, int cols, std::uint32_t* const* out) {
  constexpr int kPlanes = Row::kNumPlanes;
  // Two sets in turn: a warp that is ahead never overwrites what another still reads.
  __shared__ std::uint32_t warp_totals[2][kPlanes][kWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::uint32_t carry[kPlanes] = {};
  if (threadIdx.x < kPlanes) out[threadIdx.x][0] = 0;
  for (int first = 0, turn = 0; first < cols; first += kThreads, turn ^= 1) {
    const int x = first + static_cast<int>(threadIdx.x);
    std::uint32_t sums[kPlanes] = {};
    if (x < cols) row(x, sums);
#pragma unroll
    for (int p = 0; p < kPlanes; ++p) {
      sums[p] = warp_prefix_sum(sums[p]);
      if (lane == 31) warp_totals[turn][p][warp] = sums[p];
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kPlanes; ++p) {
      sums[p] += carry[p];
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        const std::uint32_t total = warp_totals[turn][p][w];
        carry[p] += total;
        if (w < warp) sums[p] += total;
      }
      if (x < cols) out[p][x + 1] = sums[p];
    }
  }
}

__device__ void sum_task(const ChannelRowsArgs& a, const ChannelTask& task, int y, std::uint32_t* const* out) {
  const int rows = a.layout.rows, cols = a.layout.cols;
  const auto row_of = [&](const auto* image, int row) { return image + static_cast<std::size_t>(row) * cols; };
  const auto depth_row = [&] { return row_of(a.depth.depth_mm, source_row(a.depth, y, rows)); };
  const GeometryView& g = a.geometry;
  const auto normals = [&] { return g.normals + static_cast<std::size_t>(y / kCellSize) * geometry_cells(cols); };
  const auto v = [&](float place) { return ray(place, g.camera.cy, g.camera.fy); };
  switch (task.kind) {
    case ChannelKind::kLab:
      return sum_row(LabRow{row_of(a.color, y), *a.lab_tables}, cols, out);
    case ChannelKind::kRgb:
      return sum_row(RgbRow{row_of(a.color, y)}, cols, out);
    case ChannelKind::kGradient:
      return sum_row(
          GradientRow{row_of(a.color, max(y - 1, 0)), row_of(a.color, y), row_of(a.color, min(y + 1, rows - 1)), cols},
          cols, out);
    case ChannelKind::kDepth:
      return sum_row(DepthRow{depth_row()}, cols, out);
    case ChannelKind::kKnown:
      return sum_row(KnownRow{depth_row()}, cols, out);
    case ChannelKind::kHeight:
      return sum_row(HeightRow{depth_row(), g.camera, *g.orientation, v(static_cast<float>(y))}, cols, out);
    case ChannelKind::kUpright:
      return sum_row(DirectionRow<false>{depth_row(), normals(), g.camera, g.orientation->up, 0.0f}, cols, out);
    case ChannelKind::kFacing:
      return sum_row(DirectionRow<true>{depth_row(), normals(), g.camera, {}, v(cell_middle(y / kCellSize))}, cols,
                     out);
  }
}

__host__ __device__ int num_planes(const ChannelTask& task) {
  return task.kind == ChannelKind::kLab || task.kind == ChannelKind::kRgb ? 3 : 1;
}

__global__ void __launch_bounds__(kThreads) channel_rows_kernel(ChannelRowsArgs a) {
  __shared__ std::uint32_t* out[3];
  const ChannelTask task = a.tasks[blockIdx.y];
  const int row = blockIdx.x;  // of the planes: one above the image's first
  if (threadIdx.x < 3) {
    out[threadIdx.x] = a.planes + static_cast<std::size_t>(task.first_plane + threadIdx.x) * a.layout.plane_size +
                       static_cast<std::size_t>(row) * a.layout.stride;
  }
  __syncthreads();
  // Columns that only round the stride up are 0 too.
  for (int p = 0; p < num_planes(task); ++p)
    for (int x = a.layout.cols + 1 + threadIdx.x; x < a.layout.stride; x += kThreads) out[p][x] = 0;
  if (row > 0) return sum_task(a, task, row - 1, out);
  for (int p = 0; p < num_planes(task); ++p)
    for (int x = threadIdx.x; x < a.layout.stride; x += kThreads) out[p][x] = 0;
}

}  // namespace

void channel_rows(const ChannelRowsArgs& args, const cuda::Stream& stream) {
  const dim3 grid(args.layout.rows + 1, args.num_tasks);
  cuda::launch("channels", channel_rows_kernel, grid, kThreads, 0, stream, args);
}

}  // namespace fernwood::image
