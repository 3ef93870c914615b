// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 1 of growing a level from a stream: navigate. A thread per record goes down from the node that the record was
// at before. Totals by slot and class are added up in shared memory where they fit, since at the first levels all
// records add to few of them.
#include "core/cuda/launch.cuh"
#include "records/cuda/gpu_forest.cuh"
#include "stream/cuda/stage_args.h"

namespace fernwood::stream {

namespace {

constexpr unsigned kThreads = 512;
constexpr std::size_t kRecordsPerBlock = 4 * kThreads;

template <bool kInBlock>
__global__ void __launch_bounds__(kThreads) navigate_kernel(NavigateArgs a) {
  extern __shared__ std::uint32_t block_totals[];  // [num_totals] with kInBlock
  if constexpr (kInBlock) {
    for (std::size_t i = threadIdx.x; i < a.num_totals; i += blockDim.x) block_totals[i] = 0;
    __syncthreads();
  }
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < a.num_records; i += stride) {
    const auto value_of = [&](std::size_t attribute) { return a.values[attribute * a.step + i]; };
    const std::int32_t node = descend(a.nodes, a.at[i], value_of), slot = slot_of(a.nodes[node]);
    a.at[i] = node;
    a.slots[i] = slot;
    if (slot < 0) continue;
    const std::size_t total = static_cast<std::size_t>(slot) * a.num_classes + a.labels[i];
    atomicAdd((kInBlock ? block_totals : a.totals) + total, 1u);
  }
  if constexpr (kInBlock) {
    __syncthreads();
    for (std::size_t i = threadIdx.x; i < a.num_totals; i += blockDim.x)
      if (block_totals[i] > 0) atomicAdd(a.totals + i, block_totals[i]);
  }
}

template <bool kInBlock>
void run(const NavigateArgs& args, std::size_t shared_bytes, const cuda::Stream& stream) {
  const unsigned blocks =
      records::blocks_that_run(navigate_kernel<kInBlock>, kThreads, shared_bytes, args.num_records, kRecordsPerBlock);
  cuda::launch("navigate", navigate_kernel<kInBlock>, blocks, kThreads, shared_bytes, stream, args);
}

}  // namespace

void navigate_cuda(const NavigateArgs& args, const cuda::Stream& stream) {
  const std::size_t bytes = args.num_totals * sizeof(std::uint32_t);
  bytes <= records::kFreeSharedBytes ? run<true>(args, bytes, stream) : run<false>(args, 0, stream);
}

}  // namespace fernwood::stream
