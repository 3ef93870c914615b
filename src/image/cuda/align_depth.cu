// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Transforms depth of one camera into another. First pass: one thread per pixel of depth, whose square covers some
// pixels of colour; an atomic minimum keeps the nearest depth, independent of the order. Second pass: one thread per
// pixel of colour.

#include "core/cuda/launch.cuh"
#include "core/cuda/runtime.h"
#include "fernwood/core/error.h"
#include "fernwood/image/frame.h"
#include "image/align_depth_formula.h"
#include "image/cuda/frame_preparer.h"

namespace fernwood::image {

namespace {

constexpr int kThreads = 256;
constexpr std::uint32_t kNothing = 0xffffffff;  // farther than any depth; all its bytes are equal, for memset

struct AlignArgs {
  const std::uint16_t* depth_mm;  // [rows][cols]
  const float* rays;              // [3][rows + 1][cols + 1]
  std::uint32_t* nearest;         // [to.rows][to.cols]
  std::int32_t rows, cols;
  Projection to;
};

__global__ void draw_squares_kernel(AlignArgs a) {
  const std::int32_t col = blockIdx.x * kThreads + threadIdx.x, row = blockIdx.y;
  if (col >= a.cols) return;
  const std::uint16_t depth = a.depth_mm[static_cast<std::size_t>(row) * a.cols + col];
  if (!is_known_depth(depth)) return;
  const std::size_t num_corners = static_cast<std::size_t>(a.rows + 1) * (a.cols + 1);
  const float* const upper = a.rays + static_cast<std::size_t>(row) * (a.cols + 1) + col;
  const float* const lower = upper + a.cols + 2;  // one row down and one column right
  const ImagePoint first = project(a.to, upper[0], upper[num_corners], upper[2 * num_corners], depth);
  const ImagePoint last = project(a.to, lower[0], lower[num_corners], lower[2 * num_corners], depth);
  const PixelSpan across = pixels_between(first.x, last.x, a.to.cols),
                  down = pixels_between(first.y, last.y, a.to.rows);
  if (across.end - across.begin > kMaxFootprint || down.end - down.begin > kMaxFootprint) return;
  const auto cols = static_cast<std::int32_t>(a.to.cols), rows = static_cast<std::int32_t>(a.to.rows);
  for (std::int32_t y = max(down.begin, 0); y < min(down.end, rows); ++y)
    for (std::int32_t x = max(across.begin, 0); x < min(across.end, cols); ++x)
      atomicMin(a.nearest + static_cast<std::size_t>(y) * cols + x, std::uint32_t{depth});
}

__global__ void narrow_kernel(const std::uint32_t* nearest, std::uint16_t* aligned, std::size_t count) {
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pixel < count) aligned[pixel] = nearest[pixel] == kNothing ? 0 : static_cast<std::uint16_t>(nearest[pixel]);
}

}  // namespace

const std::uint16_t* GpuDepthAligner::align(const std::shared_ptr<const DepthAligner>& aligner,
                                            const std::uint16_t* depth_mm, const cuda::Stream& stream) {
  const std::size_t count = aligner->color_rows() * aligner->color_cols();
  if (aligner != aligner_) {
    aligner_ = nullptr;
    rays_.resize(aligner->rays().size());
    cuda::copy_to_gpu(aligner->rays().data(), rays_.size(), rays_.data(), stream);
    aligner_ = aligner;
  }
  nearest_.resize(count);
  aligned_.resize(count);
  cuda::check(cudaMemsetAsync(nearest_.data(), 0xff, count * sizeof(std::uint32_t), stream), "clearing memory");
  const AlignArgs args = {depth_mm,
                          rays_.data(),
                          nearest_.data(),
                          static_cast<std::int32_t>(aligner->depth_rows()),
                          static_cast<std::int32_t>(aligner->depth_cols()),
                          projection_of(*aligner)};
  const dim3 blocks(cuda::blocks_for(aligner->depth_cols(), kThreads), static_cast<unsigned>(args.rows));
  cuda::launch("align depth", draw_squares_kernel, blocks, kThreads, 0, stream, args);
  cuda::launch("aligned depth", narrow_kernel, cuda::blocks_for(count, kThreads), kThreads, 0, stream,
               static_cast<const std::uint32_t*>(nearest_.data()), aligned_.data(), count);
  return aligned_.data();
}

std::vector<double> time_alignment_on_gpu(const DepthAligner& aligner, const Array2<std::uint16_t>& depth_mm, int gpu,
                                          int repeat, Array2<std::uint16_t>* aligned) {
  FW_CHECK(depth_mm.rows() == aligner.depth_rows() && depth_mm.cols() == aligner.depth_cols(), Data,
           "the depth image is " << depth_mm.cols() << " x " << depth_mm.rows() << " pixels, " << aligner.depth_cols()
                                 << " x " << aligner.depth_rows() << " are expected; pass images of one size");
  const cuda::ScopedGpu use(gpu);
  const std::shared_ptr<const DepthAligner> borrowed(std::shared_ptr<const void>(), &aligner);
  const cuda::Stream stream;
  cuda::GpuBuffer<std::uint16_t> depth;
  depth.resize(depth_mm.size());
  cuda::copy_to_gpu(depth_mm.data(), depth_mm.size(), depth.data(), stream);
  GpuDepthAligner on_gpu;
  const std::uint16_t* found = on_gpu.align(borrowed, depth.data(), stream);  // allocates the tables, too
  std::vector<double> seconds;
  cuda::Event begin, end;
  for (int i = 0; i < repeat; ++i) {
    begin.record(stream);
    found = on_gpu.align(borrowed, depth.data(), stream);
    end.record(stream);
    stream.synchronize();
    seconds.push_back(end.seconds_since(begin));
  }
  if (aligned != nullptr) {
    *aligned = Array2<std::uint16_t>(aligner.color_rows(), aligner.color_cols());
    cuda::copy_to_host(found, aligned->size(), aligned->data(), stream);
    stream.synchronize();
  }
  return seconds;
}

}  // namespace fernwood::image
