// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 3 of growing a level: score.
// A block scores 32 features at one node: lane = feature, warps stride over the thresholds. The best of the block joins
// the best of the node by an atomic maximum over keys that carry score, candidate and threshold: no order matters.

#include "core/cuda/launch.cuh"
#include "train/cuda/score_threshold.cuh"
#include "train/split_key.h"

namespace fernwood::train {

namespace {

constexpr int kLanes = 32, kWarps = 8;

__global__ void __launch_bounds__(kLanes* kWarps) score_kernel(LevelArgs a, std::uint32_t num_groups) {
  __shared__ unsigned long long warp_best[kWarps];
  const std::uint32_t n = blockIdx.x / num_groups;
  const std::uint32_t f = blockIdx.x % num_groups * kLanes + threadIdx.x % kLanes;
  const NodeSamples node = a.nodes[n];
  unsigned long long best = 0;
  if (f < a.num_features())
    for (int t = threadIdx.x / kLanes; t < a.num_thresholds; t += kWarps) {
      const std::uint32_t* left = a.left_counts + a.left_row(node.class_offset, t) + f;
      const unsigned long long key =
          split_key(score_threshold(a, node, left), a.first_candidate + static_cast<int>(f), t);
      best = key > best ? key : best;
    }
  for (int step = 16; step > 0; step /= 2) {
    const unsigned long long other = __shfl_xor_sync(~0u, best, step);
    best = other > best ? other : best;
  }
  if (threadIdx.x % kLanes == 0) warp_best[threadIdx.x / kLanes] = best;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < kWarps; ++w) best = warp_best[w] > best ? warp_best[w] : best;
  if (best > 0) atomicMax(&a.best_keys[n], best);
}

}  // namespace

void score_cuda(const LevelArgs& args, const cuda::Stream& stream) {
  const unsigned groups = cuda::blocks_for(args.num_features(), kLanes);
  cuda::launch("score", score_kernel, static_cast<unsigned>(args.nodes.size) * groups, kLanes * kWarps, 0, stream, args,
               groups);
}

}  // namespace fernwood::train
