// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Runs before a chunk's responses are overwritten: one thread for each node stores its best split if it is in the
// chunk, then one thread for each sample stores its side of that split. If sides come from other ranks, one block for
// each slice of a node counts the samples on the left.

#include "core/cuda/launch.cuh"
#include "train/cuda/level/level_args.h"
#include "train/grow/level_formulas.h"

namespace fernwood::train {

namespace {

constexpr unsigned kThreads = 256;

/// Whether the best split of a node is in the current chunk.
__device__ bool is_winner(const LevelArgs& a, const BestSplit& best) {
  return best.candidate >= a.first_candidate &&
         best.candidate - a.first_candidate < static_cast<std::int32_t>(a.num_features);
}

__global__ void begin_level_kernel(unsigned long long* best_keys, ChosenSplit* chosen, std::size_t num_nodes) {
  const std::size_t n = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n >= num_nodes) return;
  best_keys[n] = 0;
  chosen[n] = {};
}

__global__ void note_splits_kernel(WinnerArgs w) {
  const LevelArgs& a = w.level;
  const std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= a.nodes.size) return;
  const BestSplit best = split_of_key(a.best_keys[n]);
  if (!is_winner(a, best)) return;
  const std::size_t f = static_cast<std::size_t>(best.candidate - a.first_candidate);
  w.chosen[n] = {best, a.features[f], a.thresholds[f * a.num_thresholds + best.threshold]};
  const NodeSamples node = a.nodes[n];
  for (std::uint32_t c = node.class_offset; c < node.class_offset + node.num_classes; ++c)
    w.chosen_left[c] = a.left_counts[a.left_row(c, best.threshold) + f];
}

__global__ void note_sides_kernel(WinnerArgs w) {
  const LevelArgs& a = w.level;
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= a.node_classes.size) return;
  const ChosenSplit& chosen = w.chosen[w.row_nodes[row]];
  if (!is_winner(a, chosen.best)) return;
  const std::size_t f = static_cast<std::size_t>(chosen.best.candidate - a.first_candidate);
  w.sides[row] = static_cast<std::uint8_t>(side(a.responses(a.rows[row], f), chosen.threshold));
}

__global__ void count_left_kernel(LeftArgs a) {
  extern __shared__ std::uint32_t counts[];  // [class of the node]
  const NodeSlice slice = a.slices[blockIdx.x];
  const NodeSamples node = a.nodes[slice.node];
  for (std::uint32_t c = threadIdx.x; c < node.num_classes; c += kThreads) counts[c] = 0;
  __syncthreads();
  for (std::uint32_t s = slice.begin + threadIdx.x; s < slice.end; s += kThreads)
    if (a.sides[s] == 0) for_each_row(a.node_classes[s], a.pairs, [&](std::uint32_t c) { atomicAdd(&counts[c], 1u); });
  __syncthreads();
  for (std::uint32_t c = threadIdx.x; c < node.num_classes; c += kThreads)
    if (counts[c] > 0) atomicAdd(&a.left[node.class_offset + c], counts[c]);
}

}  // namespace

void begin_level_cuda(unsigned long long* best_keys, ChosenSplit* chosen, std::size_t num_nodes,
                      const cuda::Stream& stream) {
  cuda::fill_with_zeros(View1<ChosenSplit>{chosen, num_nodes}, stream);  // including padding, which is copied to the
                                                                         // host as well
  cuda::launch("beginning a level", begin_level_kernel, cuda::blocks_for(num_nodes, kThreads), kThreads, 0, stream,
               best_keys, chosen, num_nodes);
}

void note_splits_cuda(const WinnerArgs& args, const cuda::Stream& stream) {
  cuda::launch("noting splits", note_splits_kernel, cuda::blocks_for(args.level.nodes.size, kThreads), kThreads, 0,
               stream, args);
}

void note_sides_cuda(const WinnerArgs& args, const cuda::Stream& stream) {
  cuda::launch("noting sides", note_sides_kernel, cuda::blocks_for(args.level.node_classes.size, kThreads), kThreads, 0,
               stream, args);
}

void count_left_cuda(const LeftArgs& args, std::uint32_t most_classes, const cuda::Stream& stream) {
  const std::size_t shared_bytes = most_classes * sizeof(std::uint32_t);
  cuda::allow_shared_memory(count_left_kernel, shared_bytes);
  cuda::launch("counting left samples", count_left_kernel, static_cast<unsigned>(args.slices.size), kThreads,
               shared_bytes, stream, args);
}

}  // namespace fernwood::train
