// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Converts depth in metres to whole millimetres, before a frame is prepared. One thread per pixel.

#include "core/cuda/launch.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 256;

__global__ void depth_from_metres_kernel(DepthInMetres a) {
  const std::size_t cols = a.cols, pixel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pixel >= a.rows * cols) return;
  const auto* const row = reinterpret_cast<const std::uint8_t*>(a.depth_m) + pixel / cols * a.pitch_bytes;
  a.depth_mm[pixel] = to_depth_mm(reinterpret_cast<const float*>(row)[pixel % cols]);
}

}  // namespace

void depth_from_metres(const DepthInMetres& args, const cuda::Stream& stream) {
  const auto pixels = static_cast<std::size_t>(args.rows) * static_cast<std::size_t>(args.cols);
  cuda::launch("depth in metres", depth_from_metres_kernel, cuda::blocks_for(pixels, kThreads), kThreads, 0, stream,
               args);
}

}  // namespace fernwood::image
