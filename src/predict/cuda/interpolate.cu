// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 2 of labelling if trees are evaluated only for cells: interpolates the probabilities of pixels between cells,
// one thread per pixel, or per pixel and class.

#include "core/cuda/launch.cuh"
#include "fernwood/image/context.h"
#include "forest/leaf.h"
#include "predict/cuda/label_stages.h"

namespace fernwood::predict {

namespace {

constexpr int kThreads = 256;

__device__ float share_of(const CellMaps& of, std::int32_t c, int pixel) {
  const std::int32_t rows = image::context_cells(of.rows), cols = image::context_cells(of.cols);
  return image::context_share(image::context_value({of.maps + static_cast<std::size_t>(c) * rows * cols, rows, cols},
                                                   image::context_place(pixel % of.cols, cols),
                                                   image::context_place(pixel / of.cols, rows)));
}

__global__ void interpolate_kernel(CellMaps of, std::int32_t first_class, float* planes) {
  const int pixel = blockIdx.x * kThreads + threadIdx.x, pixels = of.rows * of.cols;
  if (pixel >= pixels) return;
  const auto c = static_cast<std::int32_t>(blockIdx.y);
  planes[static_cast<std::size_t>(c) * pixels + pixel] = share_of(of, first_class + c, pixel);
}

__global__ void choose_interpolated_kernel(CellMaps of, std::int32_t num_classes,
                                           const forest::ClassPriorCorrection* correction, float min_confidence,
                                           std::uint16_t* labels) {
  const int pixel = blockIdx.x * kThreads + threadIdx.x;
  if (pixel >= of.rows * of.cols) return;
  forest::BestClass best;
  for (std::int32_t c = 0; c < num_classes; ++c) best.offer(c, correction[c].of(share_of(of, c, pixel)));
  if (min_confidence > 0.0f && best.label != image::kVoid)
    best.label = forest::confident_label(best.label, share_of(of, best.label, pixel), min_confidence);
  labels[pixel] = best.label;
}

}  // namespace

void interpolate(const CellMaps& of, std::int32_t first_class, std::int32_t num_classes, float* planes,
                 const cuda::Stream& stream) {
  const auto pixels = static_cast<std::size_t>(of.rows) * static_cast<std::size_t>(of.cols);
  const dim3 grid(cuda::blocks_for(pixels, kThreads), static_cast<unsigned>(num_classes));
  cuda::launch("interpolation", interpolate_kernel, grid, kThreads, 0, stream, of, first_class, planes);
}

void choose_interpolated(const CellMaps& of, std::int32_t num_classes, const forest::ClassPriorCorrection* correction,
                         float min_confidence, std::uint16_t* labels, const cuda::Stream& stream) {
  const auto pixels = static_cast<std::size_t>(of.rows) * static_cast<std::size_t>(of.cols);
  cuda::launch("labels", choose_interpolated_kernel, cuda::blocks_for(pixels, kThreads), kThreads, 0, stream, of,
               num_classes, correction, min_confidence, labels);
}

}  // namespace fernwood::predict
