// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Coarse to fine on a GPU: the leaves of all pixels are found, which is faster on a GPU than to select some of them;
// then pixels of homogeneous cells take the leaves that the CPU would assign, so that both devices give the same
// labels. One thread per pixel.

#include "core/cuda/launch.cuh"
#include "predict/cuda/label_stages.h"

namespace fernwood::predict {

namespace {

constexpr int kThreads = 256;

__global__ void spread_leaves_kernel(SpreadArgs a) {
  const int pixel = blockIdx.x * kThreads + threadIdx.x, rows = a.images.rows, cols = a.images.cols;
  if (pixel >= rows * cols) return;
  const auto speaker = [&](int row, int col) { return a.grid.pixel(row, rows) * cols + a.grid.pixel(col, cols); };
  const int row = pixel / cols / a.grid.step, col = pixel % cols / a.grid.step, from = speaker(row, col);
  // A representative pixel keeps its leaves, because other threads read them.
  if (pixel == from) return;
  if (!is_homogeneous(a.images, a.grid, row, col, [&](int r, int c) { return a.labels[speaker(r, c)]; })) return;
  for (std::size_t tree = 0; tree < a.leaves.rows; ++tree) a.leaves(tree, pixel) = a.leaves(tree, from);
}

}  // namespace

void spread_leaves(const SpreadArgs& args, const cuda::Stream& stream) {
  cuda::launch("leaves of homogeneous cells", spread_leaves_kernel, cuda::blocks_for(args.leaves.cols, kThreads),
               kThreads, 0, stream, args);
}

}  // namespace fernwood::predict
