// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 4 of growing a level from a stream: search. One warp for each (slot, attribute), one lane for each run of bins:
// for each class, a prefix sum over the lanes computes the counts to the left of every end of a bin, and terms are
// added for each end. Then one warp for each slot reduces its attributes, and one thread for each (slot, class) counts
// the records that the best split sends left. Before it, counts that other processes or earlier runs made are checked.
#include <utility>

#include "core/cuda/launch.cuh"
#include "records/grow/split.h"
#include "stream/cuda/stage_args.h"

namespace fernwood::stream {

namespace {

constexpr unsigned kThreads = 256, kLanes = 32;
constexpr unsigned kAll = ~0u;

template <typename T>
__device__ T from_lane(const T& value, int mask) {
  static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
  struct Words {
    std::uint32_t words[sizeof(T) / sizeof(std::uint32_t)];
  } words = __builtin_bit_cast(Words, value);
  for (std::uint32_t& word : words.words) word = __shfl_xor_sync(kAll, word, mask);
  return __builtin_bit_cast(T, words);
}

/// Sum over lower lanes.
__device__ std::uint32_t sum_before(std::uint32_t value) {
  std::uint32_t with = value;
  for (unsigned step = 1; step < kLanes; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(kAll, with, step);
    if (threadIdx.x % kLanes >= step) with += other;
  }
  return with - value;
}

/// An end of a bin; of equally pure ones the first wins.
struct Candidate {
  double purity = -__builtin_huge_val();
  std::uint64_t bin = 0;

  __device__ bool beats(const Candidate& other) const {
    return purity > other.purity || (purity == other.purity && bin < other.bin);
  }
};

/// Input of a warp's search.
struct Leaf {
  Cells cells;
  const std::uint32_t* totals;  // [class]
  std::int64_t min_leaf_samples;
  bool has_unknown;
};

/// The best end of a lane's bins. @param filled  Written: bit i is set if the lane's bin i is not empty.
template <int kBins, typename Terms>
__device__ Candidate best_end(const Leaf& leaf, const Terms& terms, bool unknown_left, unsigned& filled) {
  const Cells& cells = leaf.cells;
  const std::size_t first = threadIdx.x % kLanes * kBins;
  std::int64_t sum_left[kBins] = {}, sum_right[kBins] = {}, num_left[kBins] = {}, num_all = 0;
  for (std::size_t c = 0; c < cells.row_size; ++c) {
    const std::int64_t total = leaf.totals[c];
    if (total == 0) continue;
    std::uint32_t counts[kBins], lane_sum = 0;
    for (int i = 0; i < kBins; ++i) {
      counts[i] = first + i < cells.num_bins ? cells.counts[(first + i) * cells.row_size + c] : 0;
      lane_sum += counts[i];
      filled |= (counts[i] > 0 ? 1u : 0u) << i;
    }
    std::int64_t left = sum_before(lane_sum);
    if (unknown_left) left += cells.unknown[c];
    num_all += total;
    for (int i = 0; i < kBins; ++i) {
      left += counts[i];
      num_left[i] += left;
      sum_left[i] += terms.term(left);
      sum_right[i] += terms.term(total - left);
    }
  }
  Candidate best;
  for (int i = 0; i < kBins; ++i) {
    const std::size_t bin = first + i;
    const bool is_end =
        bin + 1 < cells.num_bins ? filled >> i & 1 : bin + 1 == cells.num_bins && leaf.has_unknown && !unknown_left;
    if (!is_end) continue;
    const records::Sides sides{num_left[i], num_all - num_left[i], sum_left[i], sum_right[i]};
    const Candidate here{sides.purity(terms, leaf.min_leaf_samples), bin};
    if (here.purity > best.purity) best = here;
  }
  return best;
}

__device__ bool has_unknown_values(const Cells& cells) {
  bool any = false;
  for (std::size_t c = threadIdx.x % kLanes; c < cells.row_size; c += kLanes) any |= cells.unknown[c] > 0;
  return __any_sync(kAll, any);
}

/// First filled bin after `bin`, over all lanes, or the last bin.
template <int kBins>
__device__ std::size_t next_filled(unsigned filled, std::size_t bin, std::size_t num_bins) {
  const std::size_t first = threadIdx.x % kLanes * kBins;
  auto next = static_cast<std::uint32_t>(num_bins - 1);
  for (int i = kBins - 1; i >= 0; --i)
    if (filled >> i & 1 && first + i > bin) next = min(next, static_cast<std::uint32_t>(first + i));
  return __reduce_min_sync(kAll, next);
}

/// The purest split with the unknown values on one side; on the right, the last end splits known from unknown.
template <int kBins, typename Terms>
__device__ records::Split best_boundary(const Leaf& leaf, std::size_t attribute, bool unknown_left) {
  unsigned filled = 0;
  Candidate best = best_end<kBins>(leaf, Terms{}, unknown_left, filled);
  for (int mask = kLanes / 2; mask > 0; mask /= 2)
    if (const Candidate other = from_lane(best, mask); other.beats(best)) best = other;
  records::Split split;
  split.purity = best.purity;
  split.attribute = static_cast<std::uint16_t>(attribute);
  split.unknown_left = unknown_left;
  if (!split.found()) return split;
  const std::size_t next = next_filled<kBins>(filled, best.bin, leaf.cells.num_bins);
  if (best.bin + 1 == leaf.cells.num_bins)
    end_split_behind_known(leaf.cells, split);
  else
    end_split(leaf.cells, best.bin, next, split);
  return split;
}

template <int kBins, typename Terms>
__global__ void __launch_bounds__(kThreads) search_kernel(SearchArgs a) {
  const std::size_t warp = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) / kLanes;
  if (warp >= a.num_slots * a.num_attributes) return;
  const std::size_t slot = warp / a.num_attributes, attribute = a.first_attribute + warp % a.num_attributes;
  Leaf leaf{a.counts.cells(a.slots[slot], attribute), a.totals + slot * a.counts.num_classes, a.min_leaf_samples,
            false};
  leaf.has_unknown = has_unknown_values(leaf.cells);
  records::Split split = best_boundary<kBins, Terms>(leaf, attribute, false);
  if (leaf.has_unknown)
    if (const records::Split other = best_boundary<kBins, Terms>(leaf, attribute, true); other.beats(split))
      split = other;
  if (threadIdx.x % kLanes == 0) a.splits[warp] = split;
}

__global__ void __launch_bounds__(kThreads) best_kernel(SearchArgs a) {
  const std::size_t slot = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) / kLanes;
  if (slot >= a.num_slots) return;
  BestTwo best;
  for (std::uint32_t i = threadIdx.x % kLanes; i < a.num_attributes; i += kLanes)
    best.add({a.splits[slot * a.num_attributes + i]});
  for (int mask = kLanes / 2; mask > 0; mask /= 2) best.add(from_lane(best, mask));
  if (threadIdx.x % kLanes == 0) a.best[slot] = best;
}

__global__ void left_kernel(SearchArgs a) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t slot = i / a.counts.num_classes, label = i % a.counts.num_classes;
  if (slot >= a.num_slots) return;
  const records::Split& split = a.best[slot].best;
  a.left[i] = split.found() ? count_left_of(a.counts.cells(a.slots[slot], split.attribute), split, label) : 0;
}

/// One thread for each (attribute, slot, class).
__global__ void excess_kernel(ExcessArgs a) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x, row = i / a.counts.num_classes;
  const std::size_t label = i % a.counts.num_classes, slot = row % a.num_slots, attribute = row / a.num_slots;
  if (attribute >= a.num_attributes) return;
  const Cells cells = a.counts.cells(a.slots[slot], a.first_attribute + attribute);
  if (!fits_class(cells, label, a.totals[slot * a.counts.num_classes + label])) a.exceeds[attribute] = 1;
}

template <int kBins>
void run(const SearchArgs& args, records::Criterion criterion, const cuda::Stream& stream) {
  const unsigned blocks = cuda::blocks_for(args.num_slots * args.num_attributes * kLanes, kThreads);
  if (criterion == records::Criterion::kGini)
    cuda::launch("search", search_kernel<kBins, records::GiniTerms>, blocks, kThreads, 0, stream, args);
  else
    cuda::launch("search", search_kernel<kBins, records::EntropyFormula>, blocks, kThreads, 0, stream, args);
}

}  // namespace

void find_excess_cuda(const ExcessArgs& args, const cuda::Stream& stream) {
  cuda::launch("checking counts", excess_kernel,
               cuda::blocks_for(args.num_attributes * args.num_slots * args.counts.num_classes, kThreads), kThreads, 0,
               stream, args);
}

void search_cuda(const SearchArgs& args, records::Criterion criterion, std::size_t most_bins,
                 const cuda::Stream& stream) {
  if (most_bins <= kLanes)
    run<1>(args, criterion, stream);
  else if (most_bins <= 2 * kLanes)
    run<2>(args, criterion, stream);
  else if (most_bins <= 4 * kLanes)
    run<4>(args, criterion, stream);
  else
    run<8>(args, criterion, stream);
  cuda::launch("best split", best_kernel, cuda::blocks_for(args.num_slots * kLanes, kThreads), kThreads, 0, stream,
               args);
  cuda::launch("left counts", left_kernel, cuda::blocks_for(args.num_slots * args.counts.num_classes, kThreads),
               kThreads, 0, stream, args);
}

}  // namespace fernwood::stream
