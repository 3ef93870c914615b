// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 3 of labelling, if requested: smooths class probabilities of cells along rows and columns in turn, and
// interpolates them along edges.
// Weights: one thread per cell. Rows and columns: one thread each, with several steps in flight; planes are transposed
// in between, so that writes are coalesced. Labels: one thread for the pixels of a column between two rows of cells.

#include "core/cuda/launch.cuh"
#include "forest/leaf.h"
#include "predict/cuda/label_stages.h"
#include "predict/smoothing.h"

namespace fernwood::predict {

namespace {

constexpr int kThreads = 128, kLineThreads = 32;
/// Number of steps that the thread of a line loads at a time.
constexpr int kAhead = 16;

struct LinkArgs {
  GuideFrame frame;
  LinkScale scale;
  View2<float> left, up;  ///< [kSmoothingRuns][cells], by columns and by rows, output
};

__global__ void find_links_kernel(LinkArgs a) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  const std::int32_t rows = image::context_cells(a.frame.rows), cols = image::context_cells(a.frame.cols);
  if (cell >= rows * cols) return;
  const std::int32_t row = cell / cols, col = cell % cols;
  CellLinks links = cell_links(a.scale, a.frame.guide, a.frame.rows, a.frame.cols, row, col);
  for (int run = 0; run < kSmoothingRuns; ++run) {
    a.left(run, col * rows + row) = links.left;
    a.up(run, cell) = links.up;
    links = {weight_of_next_run(links.left), weight_of_next_run(links.up)};
  }
}

__global__ void read_steps_kernel(const std::uint8_t* maps, std::size_t size, float* planes) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at < size) planes[at] = share_of_steps(maps[at]);
}

struct LineArgs {
  const float* from;   ///< [plane][line][step]
  const float* links;  ///< [step][line] weights of the links to the previous step.
  float* to;           ///< [plane][step][line], output
  std::int32_t lines, steps;
};

/// Filters `count` values of a line, which may be replaced. @param carry  Result before them. @return  Last result.
__device__ float walk(const float* from, std::ptrdiff_t from_step, const float* links, float* to,
                      std::ptrdiff_t to_step, int count, float carry) {
  for (int begin = 0; begin < count; begin += kAhead) {
    float value[kAhead] = {}, weight[kAhead] = {};
#pragma unroll
    for (int i = 0; i < kAhead; ++i)
      if (begin + i < count) value[i] = from[(begin + i) * from_step], weight[i] = links[(begin + i) * to_step];
#pragma unroll
    for (int i = 0; i < kAhead; ++i)
      if (begin + i < count) to[(begin + i) * to_step] = carry = smoothed(value[i], carry, weight[i]);
  }
  return carry;
}

__global__ void smooth_lines_kernel(LineArgs a) {
  const int line = blockIdx.x * kLineThreads + threadIdx.x;
  if (line >= a.lines) return;
  const std::ptrdiff_t step = a.lines, plane = blockIdx.y * step * a.steps;
  const float* from = a.from + plane + static_cast<std::ptrdiff_t>(line) * a.steps;
  const float* links = a.links + line;
  float* to = a.to + plane + line;
  to[0] = from[0];
  const float last = walk(from + 1, 1, links + step, to + step, step, a.steps - 1, from[0]);
  // Backward, the link between a step and the next one is stored with the latter.
  float* before_last = to + (a.steps - 2) * step;
  walk(before_last, -step, links + (a.steps - 1) * step, before_last, -step, a.steps - 1, last);
}

struct PixelArgs {
  GuideFrame frame;
  LinkScale scale;
  const float* planes;  ///< [class][cells], smoothed
  std::int32_t first_class, num_classes;
  const forest::ClassPriorCorrection* correction;  ///< [class]
  float min_confidence;
  std::uint16_t* labels;  ///< [P], output, or null
  float* probabilities;   ///< [num_classes][P], output, or null
};

__device__ float share_between(const PixelArgs& a, const NeighbouringCells& between, std::size_t pixel,
                               std::size_t first, std::size_t second) {
  return share_of_second(between.to_first, between.to_second, link_exponent(a.scale, a.frame.guide, pixel, first, 0),
                         link_exponent(a.scale, a.frame.guide, pixel, second, 0));
}

__global__ void __launch_bounds__(kThreads) label_pixels_kernel(PixelArgs a) {
  constexpr int kMaxRows = image::kContextStep + image::kContextStep / 2;
  const std::int32_t rows = a.frame.rows, cols = a.frame.cols;
  const std::int32_t x = blockIdx.x * kThreads + threadIdx.x, band = blockIdx.y;
  if (x >= cols) return;
  const std::int32_t cell_rows = image::context_cells(rows), cell_cols = image::context_cells(cols);
  const std::int32_t sides[] = {band, min(band + 1, cell_rows - 1)};
  const NeighbouringCells across = neighbouring_cells(x, cols);
  std::size_t side_row[2];  // begin of the pixel row of each row of cells
  float shares_across[2];
  for (int side = 0; side < 2; ++side) {
    side_row[side] = static_cast<std::size_t>(image::context_pixel(sides[side], rows)) * cols;
    shares_across[side] =
        share_between(a, across, side_row[side] + x, side_row[side] + image::context_pixel(across.first, cols),
                      side_row[side] + image::context_pixel(across.second, cols));
  }
  const std::int32_t begin = first_row_of_band(band), end = min(first_row_of_band(band + 1), rows);
  float shares_down[kMaxRows] = {};
  forest::BestClass best[kMaxRows];
#pragma unroll
  for (int i = 0; i < kMaxRows; ++i)
    if (begin + i < end)
      shares_down[i] = share_between(a, neighbouring_cells(begin + i, rows),
                                     static_cast<std::size_t>(begin + i) * cols + x, side_row[0] + x, side_row[1] + x);
  const std::size_t num_cells = static_cast<std::size_t>(cell_rows) * cell_cols;
  const std::size_t num_pixels = static_cast<std::size_t>(rows) * cols;
  const auto value_at = [&](std::int32_t c, int side) {  // in the rows of cells
    const float* cells = a.planes + c * num_cells + sides[side] * cell_cols;
    return smoothed(cells[across.first], cells[across.second], shares_across[side]);
  };
  for (std::int32_t c = 0; c < a.num_classes; ++c) {
    const float values[2] = {value_at(a.first_class + c, 0), value_at(a.first_class + c, 1)};
#pragma unroll
    for (int i = 0; i < kMaxRows; ++i) {
      const float value = smoothed(values[0], values[1], shares_down[i]);
      if (a.labels) best[i].offer(a.first_class + c, a.correction[a.first_class + c].of(value));
      if (a.probabilities && begin + i < end)
        a.probabilities[c * num_pixels + static_cast<std::size_t>(begin + i) * cols + x] = value;
    }
  }
#pragma unroll
  for (int i = 0; i < kMaxRows; ++i) {
    if (!a.labels || begin + i >= end) continue;
    std::uint16_t label = best[i].label;
    if (a.min_confidence > 0.0f && label != image::kVoid)
      label = forest::confident_label(label, smoothed(value_at(label, 0), value_at(label, 1), shares_down[i]),
                                      a.min_confidence);
    a.labels[static_cast<std::size_t>(begin + i) * cols + x] = label;
  }
}

void label_pixels(const PixelArgs& args, const cuda::Stream& stream) {
  const dim3 grid(cuda::blocks_for(static_cast<std::size_t>(args.frame.cols), kThreads),
                  static_cast<unsigned>(image::context_cells(args.frame.rows)));
  cuda::launch("smoothed labels", label_pixels_kernel, grid, kThreads, 0, stream, args);
}

}  // namespace

GpuSmoother::GpuSmoother(const Smoothing& smoothing) : on_(smoothing.extent() > 0) {
  if (on_) scale_ = link_scale(smoothing);
}

void GpuSmoother::smooth_cells(const GuideFrame& frame, float* planes, std::int32_t num_planes,
                               const cuda::Stream& stream) {
  const std::int32_t rows = image::context_cells(frame.rows), cols = image::context_cells(frame.cols);
  const std::size_t num_cells = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  left_.resize(kSmoothingRuns * num_cells);
  up_.resize(kSmoothingRuns * num_cells);
  by_columns_.resize(static_cast<std::size_t>(num_planes) * num_cells);
  const LinkArgs links{
      frame, scale_, {left_.data(), kSmoothingRuns, num_cells}, {up_.data(), kSmoothingRuns, num_cells}};
  cuda::launch("smoothing links", find_links_kernel, cuda::blocks_for(num_cells, kThreads), kThreads, 0, stream, links);
  const auto smooth_lines = [&](const LineArgs& args) {
    const dim3 grid(cuda::blocks_for(static_cast<std::size_t>(args.lines), kLineThreads),
                    static_cast<unsigned>(num_planes));
    cuda::launch("smoothing", smooth_lines_kernel, grid, kLineThreads, 0, stream, args);
  };
  for (int run = 0; run < kSmoothingRuns; ++run) {
    const std::size_t first = static_cast<std::size_t>(run) * num_cells;
    smooth_lines({planes, left_.data() + first, by_columns_.data(), rows, cols});
    smooth_lines({by_columns_.data(), up_.data() + first, planes, cols, rows});
  }
}

void GpuSmoother::label(const GuideFrame& frame, const std::uint8_t* maps, std::int32_t num_classes,
                        const forest::ClassPriorCorrection* correction, float min_confidence, std::uint16_t* labels,
                        const cuda::Stream& stream) {
  frame_ = frame;
  const std::size_t size = static_cast<std::size_t>(num_classes) *
                           static_cast<std::size_t>(image::context_cells(frame.rows)) *
                           static_cast<std::size_t>(image::context_cells(frame.cols));
  planes_.resize(size);
  cuda::launch("cells to smooth", read_steps_kernel, cuda::blocks_for(size, kThreads), kThreads, 0, stream, maps, size,
               planes_.data());
  smooth_cells(frame, planes_.data(), num_classes, stream);
  label_pixels({frame, scale_, planes_.data(), 0, num_classes, correction, min_confidence, labels, nullptr}, stream);
}

void GpuSmoother::compute_probabilities(std::int32_t first_class, std::int32_t num_classes, float* probabilities,
                                        const cuda::Stream& stream) const {
  label_pixels({frame_, scale_, planes_.data(), first_class, num_classes, nullptr, 0.0f, nullptr, probabilities},
               stream);
}

}  // namespace fernwood::predict
