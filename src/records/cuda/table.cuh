// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Data decomposition (Spencer, Procedure 3): a thread per record walks the table of nodes, which lies in one of four
// kinds of memory.
#include <array>

#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::records {

constexpr unsigned kTableThreads = 256;
constexpr unsigned kTableThreadsWithSums = 128;
// Constant memory reaches kernels as a parameter, so that evaluators do not share any; toolkits before 12.1 pass 4 KB.
constexpr std::size_t kFewConstantNodes = 448;
constexpr std::size_t kMostConstantNodes = CUDART_VERSION >= 12010 ? 3968 : kFewConstantNodes;

/// A record's values, read when a test asks them. The laboratory has another such type.
struct ReadEach {
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
  std::int32_t* classes;
};

struct GlobalNodes {
  const uint2* nodes;
  __device__ PackedNode operator[](std::uint32_t slot) const {
    const uint2 node = __ldca(nodes + slot);
    return {node.x, node.y};
  }
};
struct ReadOnlyNodes {
  const uint2* nodes;
  __device__ PackedNode operator[](std::uint32_t slot) const {
    const uint2 node = __ldg(nodes + slot);
    return {node.x, node.y};
  }
};
template <std::size_t kSize>
struct ConstantNodes {
  PackedNode nodes[kSize];
  __device__ const PackedNode& operator[](std::uint32_t slot) const { return nodes[slot]; }
};

template <typename Held, typename Read, typename Nodes, typename Sums>
__device__ void classify_rows(const TableArgs<Held, Read>& a, const Nodes& nodes, Sums sums) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < a.rows.num_records; i += stride) {
    const auto value_of = a.read.values_of(a.rows, i);
    sums.begin(a.forest);
    for (std::uint32_t t = 0; t < a.forest.trees.size; ++t) {
      const FlatTree& tree = a.forest.trees[t];
      PackedNode node = nodes[tree.first_slot + kRootSlot];
      while (!PackedBits::is_leaf(node.link)) {
        const auto value = value_of(a.forest.bits.attribute(node.link));
        node = nodes[tree.first_slot + packed_step<Held>(node, a.forest.bits, value)];
      }
      sums.add(a.forest, tree, static_cast<std::int32_t>(node.payload));
    }
    a.classes[i] = sums.finish(a.forest);
  }
}

template <typename Held, TableMemory kMemory, typename Read, typename Sums>
__global__ void table_kernel(TableArgs<Held, Read> a) {
  const auto* nodes = reinterpret_cast<const uint2*>(a.forest.nodes);
  if constexpr (kMemory == TableMemory::kGlobal) {
    classify_rows<Held>(a, GlobalNodes{nodes}, sums_in_block<Sums>(0, threadIdx.x, blockDim.x));
  } else if constexpr (kMemory == TableMemory::kReadOnly) {
    classify_rows<Held>(a, ReadOnlyNodes{nodes}, sums_in_block<Sums>(0, threadIdx.x, blockDim.x));
  } else {
    auto* here = reinterpret_cast<uint2*>(block_memory);
    for (std::uint32_t i = threadIdx.x; i < a.num_nodes; i += blockDim.x) here[i] = nodes[i];
    __syncthreads();
    classify_rows<Held>(a, reinterpret_cast<const PackedNode*>(here),
                        sums_in_block<Sums>(a.num_nodes * sizeof(PackedNode), threadIdx.x, blockDim.x));
  }
}

template <typename Held, std::size_t kSize, typename Read, typename Sums>
__global__ void constant_kernel(TableArgs<Held, Read> a, const __grid_constant__ ConstantNodes<kSize> nodes) {
  classify_rows<Held>(a, nodes, sums_in_block<Sums>(0, threadIdx.x, blockDim.x));
}

template <typename Read>
class Table : public GpuStrategy {
 public:
  Table(const StrategyRequest& request, TableMemory memory, const Read& read)
      : model_(request.model),
        values_(request.values),
        memory_(memory),
        read_(read),
        trees_(*model_, values_, AttributeNames::kRecord),
        holder_(*model_) {
    if (memory_ == TableMemory::kConstant) constant_ = pack(*model_, values_, AttributeNames::kRecord).nodes;
  }

  void classify(const RecordView& records, std::int32_t* classes, const cuda::Stream& stream) override {
    with_held(*model_, values_, [&]<typename Held>(Held) {
      TableArgs<Held, Read> args{trees_.view(), {}, read_, static_cast<std::uint32_t>(trees_.num_nodes()), classes};
      holder_.hold(records, args.rows, stream);
      with_sums(*model_, [&]<typename Sums>(Sums) { choose_memory<Held, Sums>(args, stream); });
    });
  }

 private:
  template <typename Held, typename Sums>
  void choose_memory(const TableArgs<Held, Read>& args, const cuda::Stream& stream) {
    switch (memory_) {
      case TableMemory::kGlobal:
        return run<Sums>(table_kernel<Held, TableMemory::kGlobal, Read, Sums>, 0, args, stream);
      case TableMemory::kReadOnly:
        return run<Sums>(table_kernel<Held, TableMemory::kReadOnly, Read, Sums>, 0, args, stream);
      case TableMemory::kShared:
        return run<Sums>(table_kernel<Held, TableMemory::kShared, Read, Sums>, args.num_nodes * sizeof(PackedNode),
                         args, stream);
      case TableMemory::kConstant:
        return args.num_nodes <= kFewConstantNodes ? run_constant<Held, kFewConstantNodes, Sums>(args, stream)
                                                   : run_constant<Held, kMostConstantNodes, Sums>(args, stream);
    }
  }

  template <typename Held, std::size_t kSize, typename Sums>
  void run_constant(const TableArgs<Held, Read>& args, const cuda::Stream& stream) {
    ConstantNodes<kSize> nodes{};
    std::copy(constant_.begin(), constant_.end(), nodes.nodes);
    run<Sums>(constant_kernel<Held, kSize, Read, Sums>, 0, args, stream, nodes);
  }

  template <typename Sums, typename Kernel, typename Args, typename... More>
  void run(Kernel kernel, std::size_t node_bytes, const Args& args, const cuda::Stream& stream, const More&... more) {
    const unsigned threads = has_one_sum(*model_) ? kTableThreads : kTableThreadsWithSums;
    const std::size_t shared_bytes = node_bytes + threads * sum_bytes<Sums>(*model_);
    const unsigned blocks = blocks_that_run(kernel, threads, shared_bytes, args.rows.num_records, threads);
    cuda::launch("table", kernel, blocks, threads, shared_bytes, stream, args, more...);
  }

  SharedModel model_;
  Values values_;
  TableMemory memory_;
  Read read_;
  GpuTrees trees_;
  RowHolder holder_;
  std::vector<PackedNode> constant_;
};

}  // namespace fernwood::records
