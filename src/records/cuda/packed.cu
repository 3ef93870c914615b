// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// A thread walks four records at once through packed nodes, which lie in shared memory where they fit.
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::records {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kThreadsWithSums = 64;
constexpr unsigned kRecords = 4;
constexpr std::size_t kMostSharedNodeBytes = 64u << 10;  // so that three blocks share a multiprocessor

template <typename Held>
struct PackedArgs {
  TreesView forest;
  HeldRows<typename Held::Value> rows;
  std::uint32_t num_nodes;
  std::int32_t* classes;
};

template <typename Held, bool kShared, typename Sums>
__global__ void packed_kernel(PackedArgs<Held> a) {
  const std::size_t node_bytes = kShared ? a.num_nodes * sizeof(PackedNode) : 0;
  const auto* nodes = reinterpret_cast<const uint4*>(a.forest.nodes);
  if constexpr (kShared) {
    for (std::uint32_t i = threadIdx.x; i < a.num_nodes / 2; i += blockDim.x) block_memory[i] = nodes[i];
    __syncthreads();
  }
  const uint4* pairs = kShared ? block_memory : nodes;
  const std::size_t per_block = std::size_t{blockDim.x} * kRecords;
  for (std::size_t first = blockIdx.x * per_block + threadIdx.x; first < a.rows.num_records;
       first += gridDim.x * per_block) {
    const typename Held::Value* row[kRecords];
    PackedNode node[kRecords];
    Sums sums[kRecords];
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      // Behind the last record the last one is walked again, and not written.
      row[r] = a.rows.row(min(first + r * blockDim.x, a.rows.num_records - 1));
      sums[r] = sums_in_block<Sums>(node_bytes, r * blockDim.x + threadIdx.x, kRecords * blockDim.x);
      sums[r].begin(a.forest);
    }
    for (std::uint32_t t = 0; t < a.forest.trees.size; ++t) {
      const FlatTree tree = a.forest.trees[t];
      const uint4* pairs_of_tree = pairs + tree.first_slot / 2;
      walk_pairs<Held, kRecords>(
          a.forest.bits,
          [&](std::uint32_t slot) { return kShared ? pairs_of_tree[slot / 2] : __ldg(pairs_of_tree + slot / 2); },
          [&](unsigned r, std::uint32_t attribute) { return a.rows.value(row[r], attribute); }, node);
#pragma unroll
      for (unsigned r = 0; r < kRecords; ++r) sums[r].add(a.forest, tree, static_cast<std::int32_t>(node[r].payload));
    }
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      const std::size_t i = first + r * blockDim.x;
      if (i < a.rows.num_records) a.classes[i] = sums[r].finish(a.forest);
    }
  }
}

class Packed : public GpuStrategy {
 public:
  explicit Packed(const StrategyRequest& request)
      : model_(request.model),
        values_(request.values),
        trees_(*model_, values_, AttributeNames::kRecord),
        holder_(*model_) {}

  void classify(const RecordView& records, std::int32_t* classes, const cuda::Stream& stream) override {
    if (records.num_records == 0) return;
    with_held(*model_, values_, [&]<typename Held>(Held) {
      PackedArgs<Held> args{trees_.view(), {}, static_cast<std::uint32_t>(trees_.num_nodes()), classes};
      holder_.hold(records, args.rows, stream);
      const bool shared = args.num_nodes * sizeof(PackedNode) <= kMostSharedNodeBytes;
      with_sums(*model_, [&]<typename Sums>(Sums) {
        if (shared)
          run<Sums>(packed_kernel<Held, true, Sums>, args.num_nodes * sizeof(PackedNode), args, stream);
        else
          run<Sums>(packed_kernel<Held, false, Sums>, 0, args, stream);
      });
    });
  }

 private:
  template <typename Sums, typename Kernel, typename Args>
  void run(Kernel kernel, std::size_t node_bytes, const Args& args, const cuda::Stream& stream) {
    const unsigned threads = has_one_sum(*model_) ? kThreads : kThreadsWithSums;
    const std::size_t shared_bytes = node_bytes + threads * kRecords * sum_bytes<Sums>(*model_);
    const unsigned blocks =
        blocks_that_run(kernel, threads, shared_bytes, args.rows.num_records, std::size_t{threads} * kRecords);
    cuda::launch("packed", kernel, blocks, threads, shared_bytes, stream, args);
  }

  SharedModel model_;
  Values values_;
  GpuTrees trees_;
  RowHolder holder_;
};

}  // namespace

std::string gpu_packed_obstacle(const EvaluationModel& model, Values values, Device device) {
  const std::string obstacle = packed_obstacle(model, values);
  if (!obstacle.empty() || has_one_sum(model)) return obstacle;
  cuda::use_gpu(device.gpu);
  return shared_memory_obstacle(kMostSharedNodeBytes + kThreadsWithSums * kRecords * sum_bytes<OutputSums>(model));
}

std::unique_ptr<RecordEvaluator> make_packed(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Packed>(request));
}

}  // namespace fernwood::records
