// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 2 of labelling: sums of the leaves' probabilities over trees, and their arg max or mean (thesis eq. 3.1, 3.8).
// One thread per pixel, per cell, or per (pixel, four classes) for means. Four classes at a time, so that register use
// does not depend on the number of classes; trees are added in their order, as on the CPU.

#include "core/cuda/launch.cuh"
#include "fernwood/image/context.h"
#include "forest/leaf.h"
#include "predict/cuda/label_stages.h"
#include "predict/early_exit.h"

namespace fernwood::predict {

namespace {

/// Cells are few: small blocks occupy all multiprocessors.
constexpr int kThreads = 256, kCellThreads = 64;

/// Adds the votes of trees [begin, end), in their order, to a group's sum.
__device__ float4 add_trees(const SumArgs& a, std::size_t pixel, std::int32_t quad, std::size_t begin, std::size_t end,
                            float4 sum) {
  for (std::size_t tree = begin; tree < end; ++tree) {
    const float4 p = __ldg(a.probabilities + static_cast<std::size_t>(a.leaves(tree, pixel)) * a.quads + quad);
    sum.x += p.x;
    sum.y += p.y;
    sum.z += p.z;
    sum.w += p.w;
  }
  return sum;
}

__device__ float4 sum_quad(const SumArgs& a, std::size_t pixel, std::int32_t quad) {
  return add_trees(a, pixel, quad, 0, a.leaves.rows, make_float4(0.0f, 0.0f, 0.0f, 0.0f));
}

/// @param quad, sum  A group of classes with known sums.
__device__ forest::SoftmaxNormalizer scale_at(const SumArgs& a, std::size_t pixel, std::int32_t quad,
                                              const float4& sum) {
  std::int32_t at = quad;
  float4 of = sum;
  const auto sum_of = [&](std::int32_t c) {
    if (c / 4 != at) of = sum_quad(a, pixel, at = c / 4);
    return c % 4 == 0 ? of.x : c % 4 == 1 ? of.y : c % 4 == 2 ? of.z : of.w;
  };
  return forest::scale_of(a.kind, sum_of, a.num_classes, a.leaves.rows);
}

__global__ void choose_labels_kernel(SumArgs a, float min_confidence, std::uint16_t* labels) {
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pixel >= a.leaves.cols) return;
  forest::BestClass best;
  for (std::int32_t quad = 0; quad < a.quads; ++quad) {
    const float4 sum = sum_quad(a, pixel, quad);
    const forest::ClassPriorCorrection* const correction = a.correction + 4 * quad;
    best.offer(4 * quad, correction[0].of(sum.x));
    best.offer(4 * quad + 1, correction[1].of(sum.y));
    best.offer(4 * quad + 2, correction[2].of(sum.z));
    best.offer(4 * quad + 3, correction[3].of(sum.w));
  }
  if (min_confidence > 0.0f && best.label != image::kVoid) {
    const std::int32_t quad = best.label / 4, c = best.label % 4;
    const float4 sum = sum_quad(a, pixel, quad);
    const float probability = scale_at(a, pixel, quad, sum)
                                  .probability(c == 0   ? sum.x
                                               : c == 1 ? sum.y
                                               : c == 2 ? sum.z
                                                        : sum.w);
    best.label = forest::confident_label(best.label, probability, min_confidence);
  }
  labels[pixel] = best.label;
}

__global__ void mean_probabilities_kernel(SumArgs a, std::int32_t first_quad, float* means) {
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x, pixels = a.leaves.cols;
  if (pixel >= pixels) return;
  const std::int32_t quad = first_quad + static_cast<std::int32_t>(blockIdx.y);
  const float4 sum = sum_quad(a, pixel, quad);
  const forest::SoftmaxNormalizer scale = scale_at(a, pixel, quad, sum);
  float* const out = means + 4 * static_cast<std::size_t>(blockIdx.y) * pixels + pixel;
  out[0] = scale.probability(sum.x);
  out[pixels] = scale.probability(sum.y);
  out[2 * pixels] = scale.probability(sum.z);
  out[3 * pixels] = scale.probability(sum.w);
}

/// Scores of a cell: one thread adds up the trees for all classes, and ends when a class is sure, if it may.
__global__ void sum_cells_kernel(SumArgs a, bool exits, float4* sums) {
  const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * kCellThreads + threadIdx.x, cells = a.leaves.cols;
  if (cell >= cells) return;
  const std::size_t num_trees = a.leaves.rows, at_once = exits ? kTreesPerLook : num_trees;
  for (std::size_t begin = 0; begin < num_trees; begin += at_once) {
    const std::size_t end = min(begin + at_once, num_trees);
    Leaders leaders;
    for (std::int32_t quad = 0; quad < a.quads; ++quad) {
      float4* const at = sums + quad * cells + cell;
      const float4 sum = add_trees(a, cell, quad, begin, end, begin > 0 ? *at : make_float4(0.0f, 0.0f, 0.0f, 0.0f));
      *at = sum;
      const float scores[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
      for (std::int32_t i = 0; i < 4; ++i)
        if (4 * quad + i < a.num_classes) leaders.offer(scores[i]);
    }
    if (exits && leaders.are_sure(end, num_trees)) return;
  }
}

__global__ void cell_steps_kernel(SumArgs a, const float4* sums, std::uint8_t* maps) {
  const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * kCellThreads + threadIdx.x, cells = a.leaves.cols;
  if (cell >= cells) return;
  const auto sum_of = [&](std::int32_t c) {
    const float4& of = sums[static_cast<std::size_t>(c / 4) * cells + cell];
    return c % 4 == 0 ? of.x : c % 4 == 1 ? of.y : c % 4 == 2 ? of.z : of.w;
  };
  const forest::SoftmaxNormalizer scale = forest::scale_of(a.kind, sum_of, a.num_classes, a.leaves.rows);
  for (std::int32_t c = 0; c < a.num_classes; ++c)
    maps[static_cast<std::size_t>(c) * cells + cell] = image::context_step(scale.probability(sum_of(c)));
}

}  // namespace

void choose_labels(const SumArgs& args, float min_confidence, std::uint16_t* labels, const cuda::Stream& stream) {
  cuda::launch("labels", choose_labels_kernel, cuda::blocks_for(args.leaves.cols, kThreads), kThreads, 0, stream, args,
               min_confidence, labels);
}

void mean_probabilities(const SumArgs& args, std::int32_t first_quad, std::int32_t num_quads, float* means,
                        const cuda::Stream& stream) {
  const dim3 grid(cuda::blocks_for(args.leaves.cols, kThreads), static_cast<unsigned>(num_quads));
  cuda::launch("mean probabilities", mean_probabilities_kernel, grid, kThreads, 0, stream, args, first_quad, means);
}

void cell_steps(const SumArgs& args, bool exits, cuda::GpuBuffer<float4>& sums, std::uint8_t* maps,
                const cuda::Stream& stream) {
  sums.resize(static_cast<std::size_t>(args.quads) * args.leaves.cols);
  const unsigned blocks = cuda::blocks_for(args.leaves.cols, kCellThreads);
  cuda::launch("scores of cells", sum_cells_kernel, blocks, kCellThreads, 0, stream, args,
               exits && args.kind == forest::ForestKind::kBoosted, sums.data());
  cuda::launch("probabilities of cells", cell_steps_kernel, blocks, kCellThreads, 0, stream, args, sums.data(), maps);
}

}  // namespace fernwood::predict
