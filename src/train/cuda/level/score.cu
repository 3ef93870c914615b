// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 3 of growing a level: score.
// A block scores 32 features at one node: lane = feature, warps stride over the thresholds. The best split of the block
// is combined with the best of the node by an atomic maximum over keys that encode score, candidate and threshold, so
// that the result does not depend on the order.
//
// For ferns, one split for all nodes (thesis eq. 4.14): a thread adds up the scores of one threshold of one feature
// over a slice of the nodes; then one block finds the largest sum and assigns its split to all nodes. Sums are whole
// numbers, so that they do not depend on the order. Thrust would return the result to the host, and wait for it.

#include <cub/block/block_reduce.cuh>

#include "core/cuda/launch.cuh"
#include "train/cuda/level/level_args.h"
#include "train/grow/level_formulas.h"

namespace fernwood::train {

namespace {

constexpr int kLanes = 32, kWarps = 8;
/// Number of nodes per thread: few enough that levels with few candidates also fill a GPU.
constexpr std::uint32_t kNodesPerSlice = 32;
constexpr unsigned kMaxSlices = 65535;
constexpr int kChoiceThreads = 1024;

/// Score of one threshold of one feature at a node.
__device__ float score_of(const LevelArgs& a, const NodeSamples& node, std::int32_t threshold, std::uint32_t feature) {
  const std::uint32_t* left = a.left_counts + a.left_row(node.class_offset, threshold) + feature;
  const std::size_t class_stride = a.left_row(1, 0);
  float score;
  score_thresholds<1>(
      a.score, node, a.class_counts, 1, [&](std::uint32_t c, int) { return left[c * class_stride]; }, &score);
  return score;
}

struct Larger {
  __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const { return b > a ? b : a; }
};

__global__ void __launch_bounds__(kLanes* kWarps) score_kernel(LevelArgs a, std::uint32_t num_groups) {
  using Reduce = cub::BlockReduce<unsigned long long, kLanes * kWarps>;
  __shared__ typename Reduce::TempStorage shared;
  const std::uint32_t n = blockIdx.x / num_groups;
  const std::uint32_t f = blockIdx.x % num_groups * kLanes + threadIdx.x % kLanes;
  const NodeSamples node = a.nodes[n];
  unsigned long long best = 0;
  if (f < a.num_features)
    for (int t = threadIdx.x / kLanes; t < a.num_thresholds; t += kWarps) {
      const unsigned long long key = split_key(score_of(a, node, t, f), a.first_candidate + static_cast<int>(f), t);
      best = key > best ? key : best;
    }
  best = Reduce(shared).Reduce(best, Larger());
  if (threadIdx.x == 0 && best > 0) atomicMax(&a.best_keys[n], best);
}

__global__ void __launch_bounds__(kLanes* kWarps) add_scores_kernel(LevelArgs a) {
  const std::uint32_t f = blockIdx.x * kLanes + threadIdx.x % kLanes;
  const std::int32_t t = static_cast<std::int32_t>(blockIdx.y) * kWarps + threadIdx.x / kLanes;
  if (f >= a.num_features || t >= a.num_thresholds) return;
  const auto num_nodes = static_cast<std::uint32_t>(a.nodes.size);
  for (std::uint32_t begin = blockIdx.z * kNodesPerSlice; begin < num_nodes; begin += gridDim.z * kNodesPerSlice) {
    unsigned long long sum = 0;
    for (std::uint32_t n = begin; n < min(begin + kNodesPerSlice, num_nodes); ++n) {
      const NodeSamples node = a.nodes[n];
      sum += shared_score(score_of(a, node, t, f), node.end - node.begin);
    }
    if (sum > 0) atomicAdd(&a.shared_scores[static_cast<std::size_t>(f) * a.num_thresholds + t], sum);
  }
}

struct Better {
  __device__ SharedSplit operator()(const SharedSplit& a, const SharedSplit& b) const {
    return b.is_better_than(a) ? b : a;
  }
};

__global__ void __launch_bounds__(kChoiceThreads) choose_shared_kernel(LevelArgs a) {
  using Reduce = cub::BlockReduce<SharedSplit, kChoiceThreads>;
  __shared__ typename Reduce::TempStorage shared;
  __shared__ unsigned long long key;  // key of the chunk's best split; 0: an earlier chunk has a better one
  SharedSplit best;
  const std::uint32_t count = a.num_features * static_cast<std::uint32_t>(a.num_thresholds);
  for (std::uint32_t i = threadIdx.x; i < count; i += kChoiceThreads)
    best = Better()(best, {a.shared_scores[i], a.first_candidate + static_cast<std::int32_t>(i) / a.num_thresholds,
                           static_cast<std::int32_t>(i) % a.num_thresholds});
  best = Reduce(shared).Reduce(best, Better());
  if (threadIdx.x == 0) {
    key = 0;
    if (best.score > *a.shared_best) {  // chunks come in ascending order: the first of equal splits stays
      *a.shared_best = best.score;
      const BestSplit split = best.of_node();
      key = split_key(split.score, split.candidate, split.threshold);
    }
  }
  __syncthreads();
  if (key == 0) return;
  for (std::size_t n = threadIdx.x; n < a.nodes.size; n += kChoiceThreads) a.best_keys[n] = key;
}

}  // namespace

void score_cuda(const LevelArgs& args, const cuda::Stream& stream) {
  const unsigned groups = cuda::blocks_for(args.num_features, kLanes);
  cuda::launch("score", score_kernel, static_cast<unsigned>(args.nodes.size) * groups, kLanes * kWarps, 0, stream, args,
               groups);
}

void score_shared_cuda(const LevelArgs& args, const cuda::Stream& stream) {
  const std::size_t count = static_cast<std::size_t>(args.num_features) * args.num_thresholds;
  cuda::fill_with_zeros(View1<unsigned long long>{args.shared_scores, count}, stream);
  const dim3 grid(cuda::blocks_for(args.num_features, kLanes),
                  cuda::blocks_for(static_cast<std::size_t>(args.num_thresholds), kWarps),
                  std::min(cuda::blocks_for(args.nodes.size, kNodesPerSlice), kMaxSlices));
  cuda::launch("adding scores", add_scores_kernel, grid, kLanes * kWarps, 0, stream, args);
  cuda::launch("choosing for a level", choose_shared_kernel, 1, kChoiceThreads, 0, stream, args);
}

}  // namespace fernwood::train
