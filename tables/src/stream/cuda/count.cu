// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 1 of growing a level from a stream: navigate. One thread for each record descends from the node that the record
// had reached before. Totals by slot and class are added in shared memory where they fit, since at the first levels all
// records add to few of them.
//
// Stage 2: update.
// Blocks share [attribute][record] evenly, one run each. In each column of its run, a block counts the slots with the
// most records in shared memory, [bin][place][class], and adds that to the counts at the end; records of other slots
// are added to the counts directly. Shared memory performs one increment for each bank and cycle and combines equal
// ones of a warp, so that threads do not wait for each other if there are few bins or only the root; in global memory
// they would. A slot is counted in shared memory only if it has more records than the cost of adding its cells at the
// end of each block, so the remaining updates of global memory are spread over many cells. Keys of 2 bytes, computed
// once for all attributes, replace slot and class (6 bytes) for each column.
#include <algorithm>
#include <numeric>

#include "core/cuda/launch.cuh"
#include "records/cuda/gpu_forest.cuh"
#include "stream/cuda/stage_args.h"

namespace fernwood::stream {

namespace {

constexpr unsigned kNavigateThreads = 512;
constexpr std::size_t kNavigatedPerBlock = 4 * kNavigateThreads;

template <bool kInBlock>
__global__ void __launch_bounds__(kNavigateThreads) navigate_kernel(NavigateArgs a) {
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
void navigate(const NavigateArgs& args, std::size_t shared_bytes, const cuda::Stream& stream) {
  const unsigned blocks = records::blocks_that_run(navigate_kernel<kInBlock>, kNavigateThreads, shared_bytes,
                                                   args.num_records, kNavigatedPerBlock);
  cuda::launch("navigate", navigate_kernel<kInBlock>, blocks, kNavigateThreads, shared_bytes, stream, args);
}

constexpr unsigned kThreads = 1024, kBlocksPerMultiprocessor = 2;
constexpr std::size_t kFlushGain = 4;  // ratio of the cost of adding scattered cells to that of neighbouring ones

__global__ void key_kernel(CountArgs a) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= a.step) return;
  std::uint32_t key = kNotCounted;
  if (i < a.num_records && a.slots[i] >= 0) {
    const std::uint32_t place = a.plan[a.slots[i]];
    key = place == kNoPlace ? kCold : place * a.counts.num_classes + a.labels[i];
  }
  a.keys[i] = static_cast<std::uint16_t>(key);
}

/// Groups begin ... end - 1 of an attribute's column.
struct ColumnRun {
  std::size_t attribute, begin, end;
};

__device__ void count_groups(const CountArgs& a, const ColumnRun& run, std::uint32_t row_step,
                             std::uint32_t* in_block) {
  const auto* const keys = reinterpret_cast<const uint4*>(a.keys);
  const auto* const bins = reinterpret_cast<const uint2*>(a.bins + run.attribute * a.step);
  for (std::size_t g = run.begin + threadIdx.x; g < run.end; g += kThreads) {
    const uint4 key_words = keys[g];
    const uint2 bin_words = bins[g];
    const std::uint32_t key_pairs[] = {key_words.x, key_words.y, key_words.z, key_words.w};
    const std::uint32_t bin_quads[] = {bin_words.x, bin_words.y};
#pragma unroll
    for (unsigned i = 0; i < kGroup; ++i) {
      const std::uint32_t key = key_pairs[i / 2] >> i % 2 * 16 & 0xffff, bin = bin_quads[i / 4] >> i % 4 * 8 & 0xff;
      if (key < kCold) {
        atomicAdd(in_block + bin * row_step + key, 1u);
      } else if (key == kCold) {
        const std::size_t r = g * kGroup + i;
        std::uint32_t* const cells = a.counts.cells_of(static_cast<std::size_t>(a.slots[r]), run.attribute);
        atomicAdd(cells + std::size_t{bin} * a.counts.num_classes + a.labels[r], 1u);
      }
    }
  }
}

/// Adds the counts of the block to the global ones, and clears it.
__device__ void flush(const CountArgs& a, std::size_t attribute, std::uint32_t row_step, std::uint32_t* in_block) {
  const std::uint32_t num_classes = a.counts.num_classes, num_cells = (a.counts.num_bins(attribute) + 1) * num_classes;
  for (std::uint32_t i = threadIdx.x; i < a.num_places * num_cells; i += kThreads) {
    const std::uint32_t place = i / num_cells, cell = i % num_cells;
    std::uint32_t& count = in_block[cell / num_classes * row_step + place * num_classes + cell % num_classes];
    if (count == 0) continue;
    atomicAdd(a.counts.cells_of(a.plan[a.num_slots + place], attribute) + cell, count);
    count = 0;
  }
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    count_kernel(CountArgs a, std::size_t groups_per_block, std::uint32_t most_bins) {
  extern __shared__ std::uint32_t in_block[];                              // [bin][row_step]
  const std::uint32_t row_step = a.num_places * a.counts.num_classes | 1;  // odd, so that a column uses all banks
  if (a.num_places > 0)
    for (std::uint32_t i = threadIdx.x; i < most_bins * row_step; i += kThreads) in_block[i] = 0;
  const std::size_t column = a.step / kGroup, all = column * a.num_attributes;
  const std::size_t end = min((blockIdx.x + 1) * groups_per_block, all);
  for (std::size_t begin = blockIdx.x * groups_per_block; begin < end;) {
    const std::size_t index = begin / column, stop = min(end, (index + 1) * column);
    __syncthreads();
    count_groups(a, {a.first_attribute + index, begin - index * column, stop - index * column}, row_step, in_block);
    __syncthreads();
    flush(a, a.first_attribute + index, row_step, in_block);
    begin = stop;
  }
}

}  // namespace

void navigate_cuda(const NavigateArgs& args, const cuda::Stream& stream) {
  const std::size_t bytes = args.num_totals * sizeof(std::uint32_t);
  bytes <= records::kFreeSharedBytes ? navigate<true>(args, bytes, stream) : navigate<false>(args, 0, stream);
}

void CountPlan::make(const std::vector<std::uint32_t>& slot_sizes, std::size_t most_bins, std::size_t num_classes,
                     std::size_t num_attributes, std::size_t num_records, const cuda::Stream& stream) {
  const std::size_t blocks = std::min<std::size_t>(kBlocksPerMultiprocessor * cuda::num_multiprocessors(),
                                                   cuda::blocks_for(num_attributes * num_records, kThreads * kGroup));
  const std::size_t flushes = blocks / num_attributes + 1, flush_cost = flushes * most_bins * num_classes / kFlushGain;
  num_slots_ = slot_sizes.size();
  std::vector<std::uint32_t> chosen(num_slots_);
  std::iota(chosen.begin(), chosen.end(), 0u);
  std::erase_if(chosen, [&](std::uint32_t slot) { return slot_sizes[slot] <= flush_cost; });
  const std::size_t row = cuda::block_shared_bytes() / sizeof(std::uint32_t) / most_bins;
  const std::size_t most_places = row > 0 ? std::min<std::size_t>(row - 1, kCold) / num_classes : 0;
  if (chosen.size() > most_places) {
    std::ranges::nth_element(chosen, chosen.begin() + static_cast<std::ptrdiff_t>(most_places),
                             [&](std::uint32_t a, std::uint32_t b) { return slot_sizes[a] > slot_sizes[b]; });
    chosen.resize(most_places);
  }
  num_places_ = chosen.size();
  shared_bytes_ = num_places_ == 0 ? 0 : most_bins * (num_places_ * num_classes | 1) * sizeof(std::uint32_t);
  std::vector<std::uint32_t> plan(num_slots_, kNoPlace);
  for (std::size_t place = 0; place < num_places_; ++place) plan[chosen[place]] = static_cast<std::uint32_t>(place);
  plan.insert(plan.end(), chosen.begin(), chosen.end());
  plan_.upload(plan, stream);
}

void CountPlan::count(CountArgs args, const cuda::Stream& stream) {
  keys_.resize(args.step);
  args.keys = keys_.data();
  args.plan = plan_.data();
  args.num_slots = num_slots_;
  args.num_places = static_cast<std::uint32_t>(num_places_);
  cuda::launch("making keys", key_kernel, cuda::blocks_for(args.step, kThreads), kThreads, 0, stream, args);
  const std::size_t groups = args.step / kGroup * args.num_attributes;
  const unsigned most_blocks = records::blocks_that_run(count_kernel, kThreads, shared_bytes_, groups, kThreads);
  if (most_blocks == 0) return;
  const std::size_t groups_per_block = (groups + most_blocks - 1) / most_blocks;
  const auto most_bins = static_cast<std::uint32_t>(
      num_places_ == 0 ? 0 : shared_bytes_ / sizeof(std::uint32_t) / (num_places_ * args.counts.num_classes | 1));
  cuda::launch("update", count_kernel, cuda::blocks_for(groups, groups_per_block), kThreads, shared_bytes_, stream,
               args, groups_per_block, most_bins);
}

}  // namespace fernwood::stream
