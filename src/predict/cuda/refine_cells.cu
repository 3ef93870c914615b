// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Replaces the probabilities of cells between corners of one class by interpolated ones, as refine_cells() gets them:
// one thread per cell. All cells have been evaluated: on a GPU, this takes less time than to choose them.

#include "core/cuda/launch.cuh"
#include "predict/cell_refinement.h"
#include "predict/cuda/label_stages.h"

namespace fernwood::predict {

namespace {

constexpr int kThreads = 128;

struct RefineArgs {
  std::uint8_t* maps;  ///< [class][cells], in place
  std::int32_t rows, cols, num_classes;
  CellState* states;  ///< [cells]
};

__global__ void choose_classes_kernel(RefineArgs a) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x, num_cells = a.rows * a.cols;
  if (cell >= num_cells) return;
  a.states[cell] = {class_of_cell(a.maps, num_cells, cell, a.num_classes), 0};
}

/// Corners are read only, and the cells between them are written only.
__global__ void fill_blocks_kernel(RefineArgs a, std::int32_t side) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x, num_cells = a.rows * a.cols;
  if (cell >= num_cells) return;
  const std::int32_t row = cell / a.cols, col = cell % a.cols;
  if ((row % side == 0 && col % side == 0) || a.states[cell].filled) return;
  const BlockCorners corners = block_corners(row, col, side, a.rows, a.cols);
  const std::uint16_t common = common_class([&](std::int32_t corner) { return a.states[corner].label; }, corners);
  if (common == image::kVoid) return;
  for (std::int32_t c = 0; c < a.num_classes; ++c) {
    std::uint8_t* const map = a.maps + c * num_cells;
    map[cell] = between_corners(map, corners, side);
  }
  a.states[cell] = {common, 1};
}

}  // namespace

void refine_cells(std::int32_t frame_rows, std::int32_t frame_cols, std::uint8_t* maps, std::int32_t num_classes,
                  cuda::GpuBuffer<CellState>& states, const cuda::Stream& stream) {
  const std::int32_t rows = image::context_cells(frame_rows), cols = image::context_cells(frame_cols);
  const auto num_cells = static_cast<std::size_t>(rows * cols);
  states.resize(num_cells);
  const RefineArgs args{maps, rows, cols, num_classes, states.data()};
  const unsigned blocks = cuda::blocks_for(num_cells, kThreads);
  cuda::launch("classes of cells", choose_classes_kernel, blocks, kThreads, 0, stream, args);
  for (const std::int32_t side : kBlockSides)
    if (side > 1) cuda::launch("filling blocks", fill_blocks_kernel, blocks, kThreads, 0, stream, args, side);
}

}  // namespace fernwood::predict
