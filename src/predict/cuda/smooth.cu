// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 3 of labelling, if requested: smooths class probabilities along rows and columns in turn.
// Weights: one thread per pixel. Rows: one warp per 32 rows of a class, one lane per row, through tiles in shared
// memory. Columns: one thread each, with several rows in flight. Labels: one thread per pixel.

#include "core/cuda/launch.cuh"
#include "forest/leaf.h"
#include "predict/cuda/label_stages.h"
#include "predict/smoothing.h"

namespace fernwood::predict {

namespace {

constexpr int kThreads = 256, kColumnThreads = 64;
constexpr int kTile = 32;
/// Number of rows that a column's thread loads at a time.
constexpr int kAhead = 16;

struct LinkArgs {
  SmoothingGuide guide;
  const LinkTables* tables;
  std::int32_t rows, cols;
  View2<float> left, up;  ///< [kSmoothingRuns][P], output
};

__global__ void find_links_kernel(LinkArgs a) {
  const std::size_t p = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (p >= a.left.cols) return;
  float left = p % a.cols > 0 ? link_weight(*a.tables, a.guide, p, p - 1) : 0.0f;
  float up = p >= a.cols ? link_weight(*a.tables, a.guide, p, p - a.cols) : 0.0f;
  for (int run = 0; run < kSmoothingRuns; ++run) {
    a.left(run, p) = left;
    a.up(run, p) = up;
    left = weight_of_next_run(left);
    up = weight_of_next_run(up);
  }
}

struct RunArgs {
  float* planes;       ///< [plane][rows][cols], in place
  const float* links;  ///< [rows][cols]
  std::int32_t rows, cols;
};

/// Filters 32 rows from `first_row` on in one direction. Step k is at column k, or at the k-th from the right; its link
/// is the one to step k - 1.
__device__ void walk_rows(const RunArgs& a, float* plane, int first_row, bool to_the_right) {
  __shared__ float values[kTile][kTile + 1], weights[kTile][kTile + 1];
  const int lane = threadIdx.x, num_rows = min(kTile, a.rows - first_row);
  float carry = 0.0f;
  for (int begin = 0; begin < a.cols; begin += kTile) {
    const int k = begin + lane, x = to_the_right ? k : a.cols - 1 - k;
    for (int r = 0; r < num_rows && k < a.cols; ++r) {
      const std::size_t p = static_cast<std::size_t>(first_row + r) * a.cols + x;
      values[r][lane] = plane[p];
      weights[r][lane] = k > 0 ? a.links[to_the_right ? p : p + 1] : 0.0f;
    }
    __syncwarp();
    for (int i = 0; i < min(kTile, a.cols - begin) && lane < num_rows; ++i)
      values[lane][i] = carry = smoothed(values[lane][i], carry, weights[lane][i]);
    __syncwarp();
    for (int r = 0; r < num_rows && k < a.cols; ++r)
      plane[static_cast<std::size_t>(first_row + r) * a.cols + x] = values[r][lane];
    __syncwarp();
  }
}

__global__ void smooth_rows_kernel(RunArgs a) {
  float* plane = a.planes + static_cast<std::size_t>(blockIdx.y) * a.rows * a.cols;
  walk_rows(a, plane, blockIdx.x * kTile, true);
  walk_rows(a, plane, blockIdx.x * kTile, false);
}

/// Filters a column in one direction. Step k is at values[k * step], its link to step k - 1 at links[k * step].
__device__ void walk_column(float* values, const float* links, std::ptrdiff_t step, int count) {
  float carry = values[0];
  for (int begin = 1; begin < count; begin += kAhead) {
    float value[kAhead] = {}, weight[kAhead] = {};
#pragma unroll
    for (int i = 0; i < kAhead; ++i)
      if (begin + i < count) value[i] = values[(begin + i) * step], weight[i] = links[(begin + i) * step];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) value[i] = carry = smoothed(value[i], carry, weight[i]);
#pragma unroll
    for (int i = 0; i < kAhead; ++i)
      if (begin + i < count) values[(begin + i) * step] = value[i];
  }
}

__global__ void smooth_columns_kernel(RunArgs a) {
  const int x = blockIdx.x * kColumnThreads + threadIdx.x;
  if (x >= a.cols) return;
  const std::ptrdiff_t step = a.cols, pixels = step * a.rows;
  float* plane = a.planes + blockIdx.y * pixels;
  walk_column(plane + x, a.links + x, step, a.rows);
  // Upwards, the link between a row and the one below is stored with the latter.
  walk_column(plane + pixels - step + x, a.links + pixels + x, -step, a.rows);
}

struct ChoiceArgs {
  const float* planes;  ///< [num_planes][P]
  std::int32_t num_planes, first_class;
  const forest::ClassPriorCorrection* correction;  ///< [class]
  View1<float> highest;                            ///< [P], in place
  std::uint16_t* labels;                           ///< [P], in place
};

__global__ void offer_classes_kernel(ChoiceArgs a) {
  const std::size_t p = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (p >= a.highest.size) return;
  forest::BestClass best;
  if (a.first_class > 0) best = {a.highest[p], a.labels[p]};
  for (std::int32_t c = 0; c < a.num_planes; ++c)
    best.offer(a.first_class + c, a.correction[a.first_class + c].of(a.planes[c * a.highest.size + p]));
  a.highest[p] = best.highest;
  a.labels[p] = best.label;
}

}  // namespace

GpuSmoother::GpuSmoother(const Smoothing& smoothing) : on_(smoothing.extent() > 0) {
  if (!on_) return;
  const std::vector<LinkTables> tables = {link_tables(smoothing)};
  const cuda::Stream stream;
  cuda::upload(tables, tables_, stream);
}

void GpuSmoother::start(const SmoothingGuide& guide, std::int32_t rows, std::int32_t cols, const cuda::Stream& stream) {
  if (!on_) return;
  rows_ = rows;
  cols_ = cols;
  const std::size_t pixels = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  for (cuda::GpuBuffer<float>* links : {&left_, &up_}) links->resize(kSmoothingRuns * pixels);
  highest_.resize(pixels);
  const LinkArgs args{.guide = guide,
                      .tables = tables_.data(),
                      .rows = rows_,
                      .cols = cols_,
                      .left = {left_.data(), kSmoothingRuns, pixels},
                      .up = {up_.data(), kSmoothingRuns, pixels}};
  cuda::launch("smoothing links", find_links_kernel, cuda::blocks_for(pixels, kThreads), kThreads, 0, stream, args);
}

void GpuSmoother::smooth(float* planes, std::size_t num_planes, const cuda::Stream& stream) const {
  const std::size_t pixels = highest_.size();
  const auto classes = static_cast<unsigned>(num_planes);
  const dim3 row_grid(cuda::blocks_for(static_cast<std::size_t>(rows_), kTile), classes);
  const dim3 column_grid(cuda::blocks_for(static_cast<std::size_t>(cols_), kColumnThreads), classes);
  for (int run = 0; run < kSmoothingRuns; ++run) {
    const RunArgs rows{planes, left_.data() + run * pixels, rows_, cols_};
    cuda::launch("smoothing rows", smooth_rows_kernel, row_grid, kTile, 0, stream, rows);
    const RunArgs columns{planes, up_.data() + run * pixels, rows_, cols_};
    cuda::launch("smoothing columns", smooth_columns_kernel, column_grid, kColumnThreads, 0, stream, columns);
  }
}

void GpuSmoother::choose_labels(const float* planes, std::size_t num_planes, std::int32_t first_class,
                                const forest::ClassPriorCorrection* correction, std::uint16_t* labels,
                                const cuda::Stream& stream) {
  const ChoiceArgs args{planes, static_cast<std::int32_t>(num_planes), first_class, correction, highest_.view(),
                        labels};
  cuda::launch("smoothed labels", offer_classes_kernel, cuda::blocks_for(highest_.size(), kThreads), kThreads, 0,
               stream, args);
}

}  // namespace fernwood::predict
