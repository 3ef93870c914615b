// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 3 of growing a level of ferns: one split for all nodes (thesis eq. 4.14).
// First kernel: a thread adds up the scores of one threshold of one feature over a slice of the nodes; lane = feature.
// Second kernel: one block finds the best sum and gives it to all nodes as if each had chosen it. Sums are whole
// numbers, so that no order matters.

#include "core/cuda/launch.cuh"
#include "train/cuda/score_threshold.cuh"
#include "train/split_key.h"

namespace fernwood::train {

namespace {

constexpr int kLanes = 32, kWarps = 8;
/// Nodes that a thread walks: few enough that levels with few candidates fill a GPU too.
constexpr std::uint32_t kNodesPerSlice = 32;
constexpr unsigned kMostSlices = 65535;
constexpr int kThreads = 1024;

__global__ void __launch_bounds__(kLanes* kWarps) add_scores_kernel(LevelArgs a) {
  const std::uint32_t f = blockIdx.x * kLanes + threadIdx.x % kLanes;
  const std::int32_t t = static_cast<std::int32_t>(blockIdx.y) * kWarps + threadIdx.x / kLanes;
  if (f >= a.num_features() || t >= a.num_thresholds) return;
  const auto num_nodes = static_cast<std::uint32_t>(a.nodes.size);
  for (std::uint32_t begin = blockIdx.z * kNodesPerSlice; begin < num_nodes; begin += gridDim.z * kNodesPerSlice) {
    unsigned long long sum = 0;
    for (std::uint32_t n = begin; n < min(begin + kNodesPerSlice, num_nodes); ++n) {
      const NodeSamples node = a.nodes[n];
      const std::uint32_t* left = a.left_counts + a.left_row(node.class_offset, t) + f;
      sum += shared_score(score_threshold(a, node, left), node.end - node.begin);
    }
    if (sum > 0) atomicAdd(&a.shared_scores[static_cast<std::size_t>(f) * a.num_thresholds + t], sum);
  }
}

__device__ SharedSplit shuffled(const SharedSplit& split, int step) {
  return {__shfl_xor_sync(~0u, static_cast<unsigned long long>(split.score), step),
          __shfl_xor_sync(~0u, split.candidate, step), __shfl_xor_sync(~0u, split.threshold, step)};
}

/// The best of the chunk, in every thread of the block.
__device__ SharedSplit best_of_chunk(const LevelArgs& a) {
  constexpr int kParts = kThreads / kLanes;
  __shared__ unsigned long long scores[kParts];  // apart: shared memory holds nothing with a constructor
  __shared__ std::int32_t candidates[kParts], thresholds[kParts];
  SharedSplit best;
  const std::uint32_t count = a.num_features() * static_cast<std::uint32_t>(a.num_thresholds);
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const SharedSplit split{a.shared_scores[i], a.first_candidate + static_cast<std::int32_t>(i) / a.num_thresholds,
                            static_cast<std::int32_t>(i) % a.num_thresholds};
    if (split.is_better_than(best)) best = split;
  }
  for (int step = 16; step > 0; step /= 2)
    if (const SharedSplit other = shuffled(best, step); other.is_better_than(best)) best = other;
  if (threadIdx.x % kLanes == 0) {
    const int part = threadIdx.x / kLanes;
    scores[part] = best.score, candidates[part] = best.candidate, thresholds[part] = best.threshold;
  }
  __syncthreads();
  for (int part = 0; part < kParts; ++part)
    if (const SharedSplit other{scores[part], candidates[part], thresholds[part]}; other.is_better_than(best))
      best = other;
  return best;
}

__global__ void __launch_bounds__(kThreads) choose_shared_kernel(LevelArgs a) {
  const SharedSplit best = best_of_chunk(a);
  const bool is_new = best.score > *a.shared_best;  // chunks come in ascending order: of equals the first stays
  __syncthreads();                                  // all have read it
  if (!is_new) return;
  if (threadIdx.x == 0) *a.shared_best = best.score;
  const BestSplit split = best.of_node();
  const unsigned long long key = split_key(split.score, split.candidate, split.threshold);
  for (std::size_t n = threadIdx.x; n < a.nodes.size; n += kThreads) a.best_keys[n] = key;
}

}  // namespace

void score_shared_cuda(const LevelArgs& args, const cuda::Stream& stream) {
  const std::size_t count = args.features.cols * static_cast<std::size_t>(args.num_thresholds);
  cuda::fill_with_zeros(View1<unsigned long long>{args.shared_scores, count}, stream);
  const dim3 grid(cuda::blocks_for(args.features.cols, kLanes),
                  cuda::blocks_for(static_cast<std::size_t>(args.num_thresholds), kWarps),
                  std::min(cuda::blocks_for(args.nodes.size, kNodesPerSlice), kMostSlices));
  cuda::launch("adding scores", add_scores_kernel, grid, kLanes * kWarps, 0, stream, args);
  cuda::launch("choosing for a level", choose_shared_kernel, 1, kThreads, 0, stream, args);
}

}  // namespace fernwood::train
