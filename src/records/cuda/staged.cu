// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// For forests: values of a block's records lie in shared memory, and packed trees pass by (staging.cuh).
#include "records/cuda/gpu_strategies.h"
#include "records/cuda/gpu_strategy.h"
#include "records/cuda/pair_walk.cuh"
#include "records/cuda/staging.cuh"

namespace fernwood {

namespace {

constexpr unsigned kRecords = kStagedRecords;

struct StagedArgs {
  TreesView forest;
  RankView ranks;
  RecordView records;
  std::uint32_t window_slots;  // that there is room for
  std::uint32_t value_bytes;   // of a block's values
  std::int32_t* classes;
};

/// The tree behind the last one that fits into the window together with those from `begin` on.
__device__ std::uint32_t end_of_window(const StagedArgs& a, std::uint32_t begin) {
  std::uint32_t end = begin, slots = 0;
  while (end < a.forest.trees.size && slots + a.forest.trees[end].num_slots <= a.window_slots)
    slots += a.forest.trees[end++].num_slots;
  return end;
}

template <typename Held, typename Sums>
__global__ void __launch_bounds__(kMostStagedThreads) staged_kernel(StagedArgs a) {
  using Value = typename Held::Value;
  auto* values = reinterpret_cast<Value*>(block_memory);
  uint4* window = block_memory + a.value_bytes / sizeof(uint4);
  const std::size_t sums_at = a.value_bytes + a.window_slots * sizeof(PackedNode);
  const unsigned per_block = blockDim.x * kRecords, step = column_step(blockDim.x);
  for (std::size_t first = std::size_t{blockIdx.x} * per_block; first < a.records.num_records;
       first += std::size_t{gridDim.x} * per_block) {
    const auto count = static_cast<unsigned>(min(std::size_t{per_block}, a.records.num_records - first));
    __syncthreads();  // the values of the records before are not read any more
    stage_values<Held>(a.records, a.ranks, first, count, values);
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

Division staged_division(const EvaluationModel& model, Values values) {
  std::size_t largest = 0, all = 0;
  for (const FlatTree& tree : model.flat.trees) {
    largest = std::max(largest, tree.num_slots * sizeof(PackedNode));
    all += tree.num_slots * sizeof(PackedNode);
  }
  return divide_block(model, values, largest, all);
}

class Staged : public GpuStrategy {
 public:
  explicit Staged(const StrategyRequest& request)
      : model_(request.model),
        values_(request.values),
        division_(staged_division(*model_, values_)),
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
  return division_obstacle(staged_division(model, values));
}

std::unique_ptr<RecordEvaluator> make_staged(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Staged>(request));
}

}  // namespace fernwood
