// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 2 of growing a level: histogram aggregation.
// A block counts some samples of one node for 32 features: lane = feature, warps stride over the samples. Each lane has
// its own bank of shared memory for thresholds and counts, so that neither the search for the bin nor the count has
// bank conflicts. Left counts at every threshold are running sums. Classes that do not fit together are processed in
// turn.

#include <algorithm>
#include <bit>

#include "core/cuda/launch.cuh"
#include "train/cuda/level/level_args.h"
#include "train/grow/level_formulas.h"

namespace fernwood::train {

namespace {

constexpr int kLanes = 32, kWarps = 16;

/// Number of thresholds, including padding.
template <int kSteps>
__host__ __device__ constexpr int num_padded() {
  return (1 << kSteps) - 1;
}

/// Copies thresholds of the block's features to [2^kSteps - 1][kLanes]; pads with infinities.
template <int kSteps>
__device__ void load_thresholds(const LevelArgs& a, std::uint32_t first, float* thresholds) {
  for (int i = a.num_thresholds * kLanes + threadIdx.x; i < num_padded<kSteps>() * kLanes; i += kLanes * kWarps)
    thresholds[i] = __int_as_float(0x7f800000);
  const std::uint32_t count = min(a.num_features - first, kLanes);
  const float* from = a.thresholds + first * a.num_thresholds;
  for (int i = threadIdx.x; i < static_cast<int>(count) * a.num_thresholds; i += kLanes * kWarps)
    thresholds[i % a.num_thresholds * kLanes + i / a.num_thresholds] = from[i];
}

/// Counts the samples of the slice whose class is in [class_begin, class_end).
template <int kSteps, bool kPairs>
__device__ void count_samples(const LevelArgs& a, const NodeSlice& slice, std::uint32_t feature,
                              const float* thresholds, std::uint32_t class_begin, std::uint32_t class_end,
                              std::uint32_t* counts) {
  if (feature >= a.num_features) return;
  constexpr int kGather = 4;  // loads in flight
  const int lane = threadIdx.x % kLanes;
  const std::uint32_t class_size = a.num_thresholds * kLanes;
  const float* responses = a.responses.data + feature;
  for (std::uint32_t s = slice.begin + threadIdx.x / kLanes; s < slice.end; s += kGather * kWarps) {
    float response[kGather];
    std::uint32_t label[kGather];
#pragma unroll
    for (int k = 0; k < kGather; ++k) {
      const std::uint32_t at = min(s + k * kWarps, slice.end - 1);
      response[k] = responses[a.rows[at] * a.responses.cols];
      label[k] = s + k * kWarps < slice.end ? a.node_classes[at] : ~0u;
    }
#pragma unroll
    for (int k = 0; k < kGather; ++k) {
      const int bin = bin_of<kSteps>(response[k], thresholds + lane, kLanes);
      // Samples above the last threshold are on no left side.
      if (bin >= a.num_thresholds || label[k] == ~0u) continue;
      for_each_row(static_cast<std::uint16_t>(label[k]), kPairs, [&](std::uint32_t c) {
        if (c - class_begin < class_end - class_begin)
          atomicAdd(&counts[(c - class_begin) * class_size + bin * kLanes + lane], 1u);
      });
    }
  }
}

/// Writes the running sums over the thresholds.
__device__ void write_left_counts(const LevelArgs& a, const NodeSlice& slice, std::uint32_t feature,
                                  std::uint32_t class_begin, std::uint32_t class_end, const std::uint32_t* counts) {
  const int lane = threadIdx.x % kLanes;
  if (feature >= a.num_features) return;
  for (std::uint32_t c = class_begin + threadIdx.x / kLanes; c < class_end; c += kWarps) {
    const std::uint32_t* of_class = counts + (c - class_begin) * a.num_thresholds * kLanes + lane;
    std::uint32_t* out = a.left_of(feature) + a.left_row(a.nodes[slice.node].class_offset + c, 0);
    std::uint32_t sum = 0;
    for (int t = 0; t < a.num_thresholds; ++t) {
      sum += of_class[t * kLanes];
      if (slice.alone)
        out[a.left_row(0, t)] = sum;
      else if (sum > 0)
        atomicAdd(&out[a.left_row(0, t)], sum);
    }
  }
}

/// @tparam kSteps          Steps of the search among the thresholds.
/// @tparam kPairs          See for_each_row().
/// @param classes_at_once  Number of classes whose counts fit in shared memory.
template <int kSteps, bool kPairs>
__global__ void __launch_bounds__(kLanes* kWarps)
    aggregate_kernel(LevelArgs a, std::uint32_t num_groups, std::uint32_t classes_at_once) {
  extern __shared__ float thresholds[];  // [2^kSteps - 1][kLanes], followed by counts[classes][T][kLanes]
  auto* counts = reinterpret_cast<std::uint32_t*>(thresholds + num_padded<kSteps>() * kLanes);
  const NodeSlice slice = a.slices[blockIdx.x / num_groups];
  const std::uint32_t first = blockIdx.x % num_groups * kLanes, feature = first + threadIdx.x % kLanes;
  const std::uint32_t num_classes = a.nodes[slice.node].num_classes;
  load_thresholds<kSteps>(a, first, thresholds);
  for (std::uint32_t begin = 0; begin < num_classes; begin += classes_at_once) {
    const std::uint32_t end = min(begin + classes_at_once, num_classes);
    for (std::uint32_t i = threadIdx.x; i < (end - begin) * a.num_thresholds * kLanes; i += kLanes * kWarps)
      counts[i] = 0;
    __syncthreads();
    count_samples<kSteps, kPairs>(a, slice, feature, thresholds, begin, end, counts);
    __syncthreads();
    write_left_counts(a, slice, feature, begin, end, counts);
    __syncthreads();
  }
}

/// Left counts of nodes with several slices are accumulated and must start at 0: one block for each first slice.
__global__ void clear_counts_kernel(LevelArgs a) {
  const NodeSlice slice = a.slices[blockIdx.x];
  const NodeSamples& node = a.nodes[slice.node];
  if (slice.alone || slice.begin != node.begin) return;
  const std::size_t size = a.left_row(node.num_classes, 0);
  for (std::uint32_t first = 0; first < a.num_features; first += a.block_features) {
    std::uint32_t* out = a.left_of(first) + a.left_row(node.class_offset, 0);
    for (std::size_t i = threadIdx.x; i < size; i += blockDim.x) out[i] = 0;
  }
}

template <int kSteps, bool kPairs>
void launch_counting(const LevelArgs& args, std::uint32_t most_classes, const cuda::Stream& stream) {
  // Two blocks share a multiprocessor.
  const std::size_t most_bytes = cuda::block_shared_bytes() / 2 - 1024;
  const std::size_t padded_bytes = num_padded<kSteps>() * kLanes * sizeof(float);
  const std::size_t class_bytes = static_cast<std::size_t>(args.num_thresholds) * kLanes * sizeof(std::uint32_t);
  const std::size_t room = most_bytes > padded_bytes ? (most_bytes - padded_bytes) / class_bytes : 0;
  const std::size_t at_once = std::clamp<std::size_t>(room, 1, most_classes);
  const std::size_t shared_bytes = padded_bytes + at_once * class_bytes;
  cuda::allow_shared_memory(aggregate_kernel<kSteps, kPairs>, shared_bytes);
  const unsigned groups = cuda::blocks_for(args.num_features, kLanes);
  cuda::launch("histogram aggregation", aggregate_kernel<kSteps, kPairs>,
               static_cast<unsigned>(args.slices.size) * groups, kLanes * kWarps, shared_bytes, stream, args, groups,
               static_cast<std::uint32_t>(at_once));
}

template <int kSteps>
void launch_aggregate(const LevelArgs& args, std::uint32_t most_classes, const cuda::Stream& stream) {
  counts_pairs(args.score) ? launch_counting<kSteps, true>(args, most_classes, stream)
                           : launch_counting<kSteps, false>(args, most_classes, stream);
}

}  // namespace

std::vector<NodeSlice> cut_slices(const OpenNodes& nodes) {
  std::vector<NodeSlice> slices;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const auto& [begin, end, offset, classes, entropy] = nodes.nodes[n];
    const std::uint32_t alone = end - begin <= kMaxSliced;
    for (std::uint32_t at = begin; at < end; at += kMaxSliced)
      slices.push_back({n, at, std::min(end, at + kMaxSliced), alone});
  }
  return slices;
}

void aggregate_cuda(const LevelArgs& args, std::uint32_t most_classes, const cuda::Stream& stream) {
  cuda::launch("clearing counts", clear_counts_kernel, static_cast<unsigned>(args.slices.size), 1024, 0, stream, args);
  constexpr void (*kLaunchers[])(const LevelArgs&, std::uint32_t, const cuda::Stream&) = {
      launch_aggregate<1>, launch_aggregate<2>, launch_aggregate<3>, launch_aggregate<4>,
      launch_aggregate<5>, launch_aggregate<6>, launch_aggregate<7>, launch_aggregate<8>};
  const int steps = std::bit_width(static_cast<unsigned>(args.num_thresholds));
  kLaunchers[steps - 1](args, most_classes, stream);
}

}  // namespace fernwood::train
