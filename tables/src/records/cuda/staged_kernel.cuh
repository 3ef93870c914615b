// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Shared by strategies that copy the values of a block's records into shared memory, by columns to avoid bank
// conflicts, and load the trees in windows beside them. Each thread has two records.
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::records {

constexpr unsigned kStagedRecords = 2;  // of a thread
constexpr unsigned kMinStagedThreads = 64, kMaxStagedThreads = 512;
constexpr std::size_t kStagedBlockBytes = 74u << 10;  // three blocks share a multiprocessor

/// Division of a block's shared memory: values, then a window of trees, then sums.
struct Division {
  unsigned threads = 0;  ///< 0: no division exists.
  std::size_t value_bytes = 0, window_bytes = 0, sum_bytes = 0;
  std::size_t total() const { return value_bytes + window_bytes + sum_bytes; }
};

/// Distance in a block between the values of one attribute and those of the next: a multiple of the number of banks, so
/// that lanes which read different attributes of neighbouring records have no bank conflicts.
__host__ __device__ inline std::uint32_t column_step(unsigned threads) { return threads * kStagedRecords; }

/// @param bytes  Size of the shared memory.
inline Division divide(const EvaluationModel& model, unsigned threads, std::size_t value_size, std::size_t bytes) {
  Division division;
  division.threads = threads;
  division.value_bytes = (model.ranks.attributes.size() * column_step(threads) * value_size + 15) / 16 * 16;
  division.sum_bytes = threads * kStagedRecords * sum_bytes(model);
  const std::size_t taken = division.value_bytes + division.sum_bytes;
  division.window_bytes = taken < bytes ? (bytes - taken) / 16 * 16 : 0;
  return division;
}

/// The division with the most threads in which the largest tree still fits. @param largest_tree, all_trees  In bytes.
inline Division divide_block(const EvaluationModel& model, Values values, std::size_t largest_tree,
                             std::size_t all_trees) {
  const std::size_t value_size = values == Values::kRanks ? sizeof(std::uint16_t) : sizeof(float);
  for (const std::size_t bytes : {kStagedBlockBytes, cuda::block_shared_bytes()})
    for (unsigned threads = kMaxStagedThreads; threads >= kMinStagedThreads; threads /= 2) {
      Division division = divide(model, threads, value_size, bytes);
      if (division.window_bytes < largest_tree) continue;
      division.window_bytes = std::min(division.window_bytes, all_trees);
      return division;
    }
  return {};
}

/// Why no division exists, as the rest of a sentence; empty when one does.
inline OptionSentence division_unsupported(const Division& division) {
  if (division.threads > 0) return "";
  return "its largest tree and the values of some records do not fit into " +
         std::to_string(cuda::block_shared_bytes() >> 10) + " KiB of shared memory";
}

#if defined(__CUDACC__)
template <typename Held>
__device__ typename Held::Value held_value(const RecordView& records, const RankView& ranks,
                                           const RankedAttribute& attribute, std::size_t record) {
  const float value = records.at(record, attribute.attribute);
  if constexpr (std::is_same_v<typename Held::Value, float>)
    return value;
  else
    return static_cast<std::uint16_t>(rank_or_nan(ranks, attribute, value));
}

/// Loads records first ... first + count - 1. If they are stored by columns, neighbouring threads load neighbouring
/// records. If by rows, a warp loads tiles of 8 records and 4 attributes: a compromise, since reads are contiguous
/// along rows and writes along columns.
template <typename Held>
__device__ void stage_values(const RecordView& records, const RankView& ranks, std::size_t first, unsigned count,
                             typename Held::Value* values) {
  constexpr unsigned kTileRecords = 8, kTileSlots = 4;
  const unsigned num_slots = static_cast<unsigned>(ranks.attributes.size), step = column_step(blockDim.x);
  const bool by_rows = records.attribute_step == 1;
  const unsigned tile_records = by_rows ? kTileRecords : 32, tile_slots = by_rows ? kTileSlots : 1;
  const unsigned lane = threadIdx.x % 32, across = (num_slots + tile_slots - 1) / tile_slots;
  const unsigned num_tiles = (count + tile_records - 1) / tile_records * across;
  for (unsigned tile = threadIdx.x / 32; tile < num_tiles; tile += blockDim.x / 32) {
    const unsigned r = tile / across * tile_records + lane / tile_slots;
    const unsigned slot = tile % across * tile_slots + lane % tile_slots;
    if (r < count && slot < num_slots)
      values[slot * step + r] = held_value<Held>(records, ranks, ranks.attributes[slot], first + r);
  }
}
#endif

// The kernel and the strategy for forests whose trees are loaded into shared memory in windows, for any form of trees.
//
// A Form is the kernel's argument for a forest whose trees are stored one after another in words of 16 bytes:
//   words                      all of them, a const uint4*
//   begin(tree), end(tree)     range of the words of a tree
//   walk<Held>(tree, words, value_of, answer)
//                              calls `answer` with a tree's answers for a thread's records; `words` is the tree;
//                              value_of(record, slot): a value as defined by Held
// Its Owner keeps it on the GPU: Owner(model, values), form(), and Owner::division(model, values).

template <typename Form>
struct StagedArgs {
  TreesView forest;
  Form form;
  RankView ranks;
  RecordView records;
  std::uint32_t value_words, window_words;  // of 16 bytes, in a block's shared memory
};

/// End of the range of trees from `begin` on that fit into the window together.
template <typename Form>
__device__ std::uint32_t end_of_window(const StagedArgs<Form>& a, std::uint32_t begin) {
  const std::uint32_t end_word = a.form.begin(begin) + a.window_words;
  std::uint32_t end = begin;
  while (end < a.forest.trees.size && a.form.end(end) <= end_word) ++end;
  return end;
}

template <typename Held, typename Sums, typename Form>
__global__ void __launch_bounds__(kMaxStagedThreads) staged_kernel(StagedArgs<Form> a) {
  auto* values = reinterpret_cast<typename Held::Value*>(block_memory);
  uint4* window = block_memory + a.value_words;
  const std::size_t sums_at = (a.value_words + a.window_words) * sizeof(uint4);
  const unsigned per_block = blockDim.x * kStagedRecords, step = column_step(blockDim.x);
  for (std::size_t first = std::size_t{blockIdx.x} * per_block; first < a.records.num_records;
       first += std::size_t{gridDim.x} * per_block) {
    const auto count = static_cast<unsigned>(min(std::size_t{per_block}, a.records.num_records - first));
    __syncthreads();  // the values of the previous records are no longer read
    stage_values<Held>(a.records, a.ranks, first, count, values);
    Sums sums[kStagedRecords];
    unsigned place[kStagedRecords];
#pragma unroll
    for (unsigned r = 0; r < kStagedRecords; ++r) {
      place[r] = min(r * blockDim.x + threadIdx.x, count - 1);  // surplus threads repeat the last record
      sums[r] = sums_in_block<Sums>(sums_at, r * blockDim.x + threadIdx.x, per_block);
      sums[r].begin(a.forest, first + place[r]);
    }
    const auto value_of = [&](unsigned r, std::uint32_t slot) { return values[slot * step + place[r]]; };
    for (std::uint32_t tree = 0; tree < a.forest.trees.size;) {
      const std::uint32_t end = end_of_window(a, tree), first_word = a.form.begin(tree);
      const std::uint32_t num_words = a.form.end(end - 1) - first_word;
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < num_words; i += blockDim.x) window[i] = a.form.words[first_word + i];
      __syncthreads();
      for (; tree < end; ++tree) {
        std::int32_t answer[kStagedRecords];
        a.form.template walk<Held>(tree, window + (a.form.begin(tree) - first_word), value_of, answer);
#pragma unroll
        for (unsigned r = 0; r < kStagedRecords; ++r) sums[r].add(a.forest, tree, answer[r]);
      }
    }
#pragma unroll
    for (unsigned r = 0; r < kStagedRecords; ++r)
      if (r * blockDim.x + threadIdx.x < count) sums[r].store(a.forest);
  }
}

template <typename Owner>
class StagedStrategy : public GpuStrategy {
 public:
  explicit StagedStrategy(const StrategyRequest& request)
      : model_(request.model),
        values_(request.values),
        division_(Owner::division(*model_, values_)),
        trees_(*model_, values_, AttributeNames::kSlot),
        owner_(*model_, values_),
        holder_(*model_) {}

  void evaluate(const RecordView& records, const Found& found, const cuda::Stream& stream) override {
    using Form = decltype(owner_.form(trees_.view()));
    const auto words = [](std::size_t bytes) { return static_cast<std::uint32_t>(bytes / sizeof(uint4)); };
    const StagedArgs<Form> args{trees_.view(found),           owner_.form(trees_.view()),   holder_.ranks(), records,
                                words(division_.value_bytes), words(division_.window_bytes)};
    with_held(*model_, values_, [&]<typename Held>(Held) {
      with_sums(*model_, [&]<typename Sums>(Sums) {
        const auto kernel = staged_kernel<Held, Sums, Form>;
        const unsigned blocks = blocks_that_run(kernel, division_.threads, division_.total(), records.num_records,
                                                std::size_t{division_.threads} * kStagedRecords);
        cuda::launch("staged", kernel, blocks, division_.threads, division_.total(), stream, args);
      });
    });
  }

 private:
  SharedModel model_;
  Values values_;
  Division division_;
  GpuTrees trees_;
  Owner owner_;
  RowHolder holder_;
};

}  // namespace fernwood::records
