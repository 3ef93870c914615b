// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Data decomposition (Spencer, Procedure 3): a thread for each record walks the table of nodes.
//
// Nodes defines where the table is stored, and is the kernel's argument for it:
//   shared_bytes(num_nodes)    its size in a block's shared memory
//   of(model, values, trees)   the table of a forest on the GPU
//   bring(num_nodes)           loads the table for the block; returns access to nodes by slot
// Read defines how values are read:
//   of(model, values)          for a forest
//   values_of(rows, record)    a function from a test's attribute to the record's value
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::records {

constexpr unsigned kTableThreads = 256;
constexpr unsigned kTableThreadsWithSums = 128;

/// Nodes in global memory, read through the read-only cache.
struct ReadOnlyNodes {
  const uint2* nodes;

  static FW_HD std::size_t shared_bytes(std::size_t) { return 0; }
  static ReadOnlyNodes of(const EvaluationModel&, Values, const GpuTrees& trees) {
    return {reinterpret_cast<const uint2*>(trees.view().nodes)};
  }
  __device__ const ReadOnlyNodes& bring(std::uint32_t) const { return *this; }
  __device__ PackedRecordNode operator[](std::uint32_t slot) const {
    const uint2 node = __ldg(nodes + slot);
    return {node.x, node.y};
  }
};

/// Nodes in each block's shared memory.
struct SharedNodes {
  const uint2* nodes;

  static FW_HD std::size_t shared_bytes(std::size_t num_nodes) { return num_nodes * sizeof(PackedRecordNode); }
  static SharedNodes of(const EvaluationModel&, Values, const GpuTrees& trees) {
    return {reinterpret_cast<const uint2*>(trees.view().nodes)};
  }
  __device__ const PackedRecordNode* bring(std::uint32_t num_nodes) const {
    auto* here = reinterpret_cast<uint2*>(block_memory);
    for (std::uint32_t i = threadIdx.x; i < num_nodes; i += blockDim.x) here[i] = nodes[i];
    __syncthreads();
    return reinterpret_cast<const PackedRecordNode*>(here);
  }
};

/// Reads a record's values when a test needs them.
struct ReadEach {
  static ReadEach of(const EvaluationModel&, Values) { return {}; }
  template <typename Rows>
  __device__ auto values_of(const Rows& rows, std::size_t record) const {
    return [&rows, row = rows.row(record)](std::uint32_t attribute) { return rows.value(row, attribute); };
  }
};

template <typename Held, typename Read>
struct TableArgs {
  TreesView forest;
  HeldRows<typename Held::Value> rows;
  Read read;
  std::uint32_t num_nodes;
};

template <typename Held, typename Nodes, typename Read, typename Sums>
__global__ void table_kernel(TableArgs<Held, Read> a, const __grid_constant__ Nodes table) {
  const auto& nodes = table.bring(a.num_nodes);
  Sums sums = sums_in_block<Sums>(Nodes::shared_bytes(a.num_nodes), threadIdx.x, blockDim.x);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < a.rows.num_records; i += stride) {
    const auto value_of = a.read.values_of(a.rows, i);
    sums.begin(a.forest, i);
    for (std::uint32_t t = 0; t < a.forest.trees.size; ++t) {
      const FlatTree& tree = a.forest.trees[t];
      PackedRecordNode node = nodes[tree.first_slot + kRootSlot];
      while (!PackedBits::is_leaf(node.link)) {
        const auto value = value_of(a.forest.bits.attribute(node.link));
        node = nodes[tree.first_slot + packed_step<Held>(node, a.forest.bits, value)];
      }
      sums.add(a.forest, t, static_cast<std::int32_t>(node.payload));
    }
    sums.store(a.forest);
  }
}

template <typename Nodes, typename Read>
class Table : public GpuStrategy {
 public:
  explicit Table(const StrategyRequest& request)
      : model_(request.model),
        values_(request.values),
        read_(Read::of(*model_, values_)),
        trees_(*model_, values_, AttributeNames::kRecord),
        nodes_(Nodes::of(*model_, values_, trees_)),
        holder_(*model_) {}

  void evaluate(const RecordView& records, const Found& found, const cuda::Stream& stream) override {
    with_held(*model_, values_, [&]<typename Held>(Held) {
      TableArgs<Held, Read> args{trees_.view(found), {}, read_, static_cast<std::uint32_t>(trees_.num_nodes())};
      holder_.hold(records, args.rows, stream);
      with_sums(*model_, [&]<typename Sums>(Sums) {
        const auto kernel = table_kernel<Held, Nodes, Read, Sums>;
        const unsigned threads = has_one_sum(*model_) ? kTableThreads : kTableThreadsWithSums;
        const std::size_t shared_bytes = Nodes::shared_bytes(args.num_nodes) + threads * sum_bytes(*model_);
        const unsigned blocks = blocks_that_run(kernel, threads, shared_bytes, records.num_records, threads);
        cuda::launch("table", kernel, blocks, threads, shared_bytes, stream, args, nodes_);
      });
    });
  }

 private:
  SharedModel model_;
  Values values_;
  Read read_;
  GpuTrees trees_;
  Nodes nodes_;
  RowHolder holder_;
};

template <typename Nodes>
OptionSentence table_unsupported(const EvaluationModel& model, Values values, Device device) {
  for (const OptionSentence& unsupported_reason : {gpu_answer_unsupported(model), packed_unsupported(model, values)})
    if (!unsupported_reason.empty()) return unsupported_reason;
  cuda::use_gpu(device.gpu);
  return shared_memory_unsupported(Nodes::shared_bytes(model.flat.nodes.size()) +
                                   kTableThreadsWithSums * sum_bytes(model));
}

template <typename Nodes, typename Read>
std::unique_ptr<RecordEvaluator> make_table(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Table<Nodes, Read>>(request));
}

}  // namespace fernwood::records
