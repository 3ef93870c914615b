// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// For forests: a block brings the values of its records into shared memory once, by columns, so that lanes never meet
// in a bank, and then all trees pass by, as many at a time as fit beside them. Each thread walks two records.
#include "fernwood/core/error.h"
#include "records/cuda/gpu_strategies.h"
#include "records/cuda/gpu_strategy.h"
#include "records/cuda/grid.cuh"
#include "records/cuda/held_rows.h"
#include "records/cuda/pair_walk.cuh"

namespace fernwood {

namespace {

constexpr unsigned kRecords = 2;
constexpr unsigned kMostThreads = 512, kFewestThreads = 64;
constexpr std::size_t kBlockBytes = 110u << 10;  // two blocks share a multiprocessor

struct StagedArgs {
  TreesView forest;
  RankView ranks;
  RecordView records;
  std::uint32_t window_slots;  // that there is room for
  std::uint32_t value_bytes;   // of a block's values
  std::int32_t* classes;
};

/// How a block's shared memory is divided: values, then nodes, then sums.
struct Division {
  unsigned threads;
  std::size_t value_bytes, window_bytes, sum_bytes;
  std::size_t total() const { return value_bytes + window_bytes + sum_bytes; }
};

/// Floats or ranks of an attribute in a block, from one record to the next attribute's; odd, so that lanes that write
/// attributes of one record do not meet in a bank either.
__host__ __device__ inline std::uint32_t column_step(unsigned threads) { return threads * kRecords + 1; }

Division divide(const EvaluationModel& model, unsigned threads, std::size_t value_size, std::size_t bytes) {
  Division division{threads, 0, 0, 0};
  division.value_bytes = (model.ranks.attributes.size() * column_step(threads) * value_size + 15) / 16 * 16;
  division.sum_bytes = has_one_sum(model) ? 0 : threads * kRecords * sum_bytes<OutputSums>(model);
  const std::size_t taken = division.value_bytes + division.sum_bytes;
  division.window_bytes = taken < bytes ? (bytes - taken) / 16 * 16 : 0;
  return division;
}

/// The most threads with which the largest tree still fits; threads 0: none.
Division best_division(const EvaluationModel& model, Values values) {
  const std::size_t value_size = values == Values::kRanks ? sizeof(std::uint16_t) : sizeof(float);
  std::size_t largest = 0, all = 0;
  for (const FlatTree& tree : model.flat.trees) {
    largest = std::max(largest, tree.num_slots * sizeof(PackedNode));
    all += tree.num_slots * sizeof(PackedNode);
  }
  for (const std::size_t bytes : {kBlockBytes, cuda::block_shared_bytes()})
    for (unsigned threads = kMostThreads; threads >= kFewestThreads; threads /= 2) {
      Division division = divide(model, threads, value_size, bytes);
      if (division.window_bytes < largest) continue;
      division.window_bytes = std::min(division.window_bytes, all);
      return division;
    }
  return {0, 0, 0, 0};
}

template <typename Held>
__device__ typename Held::Value held_value(const StagedArgs& a, const RankedAttribute& attribute, std::size_t record) {
  const float value = a.records.at(record, attribute.attribute);
  if constexpr (std::is_same_v<typename Held::Value, float>)
    return value;
  else
    return static_cast<std::uint16_t>(rank_or_nan(a.ranks, attribute, value));
}

/// Brings the block's records in. Neighbouring threads take what lies side by side: attributes of a record, or records
/// of an attribute.
template <typename Held>
__device__ void stage_values(const StagedArgs& a, std::size_t first, unsigned count, typename Held::Value* values) {
  const unsigned num_slots = static_cast<unsigned>(a.ranks.attributes.size), step = column_step(blockDim.x);
  const bool by_rows = a.records.attribute_step == 1;
  for (unsigned i = threadIdx.x; i < count * num_slots; i += blockDim.x) {
    const unsigned slot = by_rows ? i % num_slots : i / count;
    const unsigned r = by_rows ? i / num_slots : i % count;
    values[slot * step + r] = held_value<Held>(a, a.ranks.attributes[slot], first + r);
  }
}

/// The tree behind the last one that fits into the window together with those from `begin` on.
__device__ std::uint32_t end_of_window(const StagedArgs& a, std::uint32_t begin) {
  std::uint32_t end = begin, slots = 0;
  while (end < a.forest.trees.size && slots + a.forest.trees[end].num_slots <= a.window_slots)
    slots += a.forest.trees[end++].num_slots;
  return end;
}

template <typename Held, typename Sums>
__global__ void __launch_bounds__(kMostThreads) staged_kernel(StagedArgs a) {
  using Value = typename Held::Value;
  auto* values = reinterpret_cast<Value*>(block_memory);
  uint4* window = block_memory + a.value_bytes / sizeof(uint4);
  const std::size_t sums_at = a.value_bytes + a.window_slots * sizeof(PackedNode);
  const unsigned per_block = blockDim.x * kRecords, step = column_step(blockDim.x);
  for (std::size_t first = std::size_t{blockIdx.x} * per_block; first < a.records.num_records;
       first += std::size_t{gridDim.x} * per_block) {
    const auto count = static_cast<unsigned>(min(std::size_t{per_block}, a.records.num_records - first));
    __syncthreads();  // the values of the records before are not read any more
    stage_values<Held>(a, first, count, values);
    Sums sums[kRecords];
    unsigned place[kRecords];
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      place[r] = min(r * blockDim.x + threadIdx.x, count - 1);  // behind the last record it is walked again
      sums[r] = sums_in_block<Sums>(sums_at, r * blockDim.x + threadIdx.x, per_block);
      sums[r].begin(a.forest);
    }
    for (std::uint32_t begin = 0; begin < a.forest.trees.size;) {
      const std::uint32_t end = end_of_window(a, begin), first_slot = a.forest.trees[begin].first_slot;
      const FlatTree& last = a.forest.trees[end - 1];
      __syncthreads();
      const auto* from = reinterpret_cast<const uint4*>(a.forest.nodes + first_slot);
      for (std::uint32_t i = threadIdx.x; i < (last.first_slot + last.num_slots - first_slot) / 2; i += blockDim.x)
        window[i] = from[i];
      __syncthreads();
      for (; begin < end; ++begin) {
        const FlatTree tree = a.forest.trees[begin];
        const uint4* pairs = window + (tree.first_slot - first_slot) / 2;
        PackedNode node[kRecords];
        walk_pairs<Held, kRecords>(
            a.forest.bits, [&](std::uint32_t slot) { return pairs[slot / 2]; },
            [&](unsigned r, std::uint32_t attribute) { return values[attribute * step + place[r]]; }, node);
#pragma unroll
        for (unsigned r = 0; r < kRecords; ++r) sums[r].add(a.forest, tree, static_cast<std::int32_t>(node[r].payload));
      }
    }
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r)
      if (r * blockDim.x + threadIdx.x < count) a.classes[first + place[r]] = sums[r].finish(a.forest);
  }
}

class Staged : public GpuStrategy {
 public:
  explicit Staged(const StrategyRequest& request)
      : model_(request.model),
        values_(request.values),
        division_(best_division(*model_, values_)),
        trees_(*model_, values_, AttributeNames::kSlot),
        holder_(*model_) {}

  void classify(const RecordView& records, std::int32_t* classes, const cuda::Stream& stream) override {
    const StagedArgs args{trees_.view(),
                          holder_.ranks(),
                          records,
                          static_cast<std::uint32_t>(division_.window_bytes / sizeof(PackedNode)),
                          static_cast<std::uint32_t>(division_.value_bytes),
                          classes};
    with_held(*model_, values_, [&]<typename Held>(Held) {
      with_sums(*model_, [&]<typename Sums>(Sums) {
        const auto kernel = staged_kernel<Held, Sums>;
        const unsigned blocks = blocks_that_run(kernel, division_.threads, division_.total(), records.num_records,
                                                std::size_t{division_.threads} * kRecords);
        cuda::launch("staged", kernel, blocks, division_.threads, division_.total(), stream, args);
      });
    });
  }

 private:
  SharedModel model_;
  Values values_;
  Division division_;
  GpuTrees trees_;
  RowHolder holder_;
};

}  // namespace

std::string staged_obstacle(const EvaluationModel& model, Values values, Device device) {
  const std::string obstacle = packed_obstacle(model, values);
  if (!obstacle.empty()) return obstacle;
  if (!model.rank_obstacle.empty()) return model.rank_obstacle;
  cuda::use_gpu(device.gpu);
  if (best_division(model, values).threads > 0) return "";
  return "its largest tree and the values of some records do not fit into " +
         std::to_string(cuda::block_shared_bytes() >> 10) + " KiB of shared memory";
}

std::unique_ptr<RecordEvaluator> make_staged(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Staged>(request));
}

}  // namespace fernwood
