// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Data decomposition (Spencer, Procedure 3): a thread per record walks the table of nodes, which lies in one of four
// kinds of memory; a test's value comes from the record as the table says, or, where a forest asks one attribute only,
// from a register (Penha et al.: indirect and direct).
#include <array>

#include "records/cuda/gpu_strategy.h"
#include "records/cuda/grid.cuh"
#include "records/cuda/held_rows.h"
#include "records/cuda/table.h"

namespace fernwood::records {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kThreadsWithSums = 128;
// Constant memory reaches kernels as a parameter, so that evaluators do not share any; toolkits before 12.1 pass 4 KB.
constexpr std::size_t kFewNodes = 448;
constexpr std::size_t kMostNodes = CUDART_VERSION >= 12010 ? 3968 : kFewNodes;

template <typename Held>
struct TableArgs {
  TreesView forest;
  HeldRows<typename Held::Value> rows;
  std::uint32_t only_attribute;  // that a direct kernel reads
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

template <typename Held, bool kDirect, typename Nodes, typename Sums>
__device__ void classify_rows(const TableArgs<Held>& a, const Nodes& nodes, Sums sums) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < a.rows.num_records; i += stride) {
    const auto* row = a.rows.row(i);
    const auto only = kDirect ? a.rows.value(row, a.only_attribute) : typename Held::Value{};
    sums.begin(a.forest);
    for (std::uint32_t t = 0; t < a.forest.trees.size; ++t) {
      const FlatTree& tree = a.forest.trees[t];
      PackedNode node = nodes[tree.first_slot + kRootSlot];
      while (!PackedBits::is_leaf(node.link)) {
        const auto value = kDirect ? only : a.rows.value(row, a.forest.bits.attribute(node.link));
        node = nodes[tree.first_slot + packed_step<Held>(node, a.forest.bits, value)];
      }
      sums.add(a.forest, tree, static_cast<std::int32_t>(node.payload));
    }
    a.classes[i] = sums.finish(a.forest);
  }
}

template <typename Held, TableMemory kMemory, bool kDirect, typename Sums>
__global__ void table_kernel(TableArgs<Held> a) {
  const auto* nodes = reinterpret_cast<const uint2*>(a.forest.nodes);
  if constexpr (kMemory == TableMemory::kGlobal) {
    classify_rows<Held, kDirect>(a, GlobalNodes{nodes}, sums_in_block<Sums>(0, threadIdx.x, blockDim.x));
  } else if constexpr (kMemory == TableMemory::kReadOnly) {
    classify_rows<Held, kDirect>(a, ReadOnlyNodes{nodes}, sums_in_block<Sums>(0, threadIdx.x, blockDim.x));
  } else {
    auto* here = reinterpret_cast<uint2*>(block_memory);
    for (std::uint32_t i = threadIdx.x; i < a.num_nodes; i += blockDim.x) here[i] = nodes[i];
    __syncthreads();
    classify_rows<Held, kDirect>(a, reinterpret_cast<const PackedNode*>(here),
                                 sums_in_block<Sums>(a.num_nodes * sizeof(PackedNode), threadIdx.x, blockDim.x));
  }
}

template <typename Held, std::size_t kSize, bool kDirect, typename Sums>
__global__ void constant_kernel(TableArgs<Held> a, const __grid_constant__ ConstantNodes<kSize> nodes) {
  classify_rows<Held, kDirect>(a, nodes, sums_in_block<Sums>(0, threadIdx.x, blockDim.x));
}

class Table : public GpuStrategy {
 public:
  Table(const StrategyRequest& request, TableMemory memory, bool direct)
      : model_(request.model),
        values_(request.values),
        memory_(memory),
        direct_(direct),
        trees_(*model_, values_, AttributeNames::kRecord),
        holder_(*model_) {
    if (memory_ == TableMemory::kConstant) constant_ = pack(*model_, values_, AttributeNames::kRecord).nodes;
  }

  void classify(const RecordView& records, std::int32_t* classes, const cuda::Stream& stream) override {
    with_held(*model_, values_, [&]<typename Held>(Held) {
      TableArgs<Held> args{
          trees_.view(), {}, only_attribute(), static_cast<std::uint32_t>(trees_.num_nodes()), classes};
      holder_.hold(records, args.rows, stream);
      with_sums(*model_, [&]<typename Sums>(Sums) {
        if (direct_)
          choose_memory<Held, true, Sums>(args, stream);
        else
          choose_memory<Held, false, Sums>(args, stream);
      });
    });
  }

 private:
  std::uint32_t only_attribute() const {
    return direct_ && values_ == Values::kFloat ? model_->ranks.attributes[0].attribute : 0;
  }

  template <typename Held, bool kDirect, typename Sums>
  void choose_memory(const TableArgs<Held>& args, const cuda::Stream& stream) {
    switch (memory_) {
      case TableMemory::kGlobal:
        return run<Sums>(table_kernel<Held, TableMemory::kGlobal, kDirect, Sums>, 0, args, stream);
      case TableMemory::kReadOnly:
        return run<Sums>(table_kernel<Held, TableMemory::kReadOnly, kDirect, Sums>, 0, args, stream);
      case TableMemory::kShared:
        return run<Sums>(table_kernel<Held, TableMemory::kShared, kDirect, Sums>, args.num_nodes * sizeof(PackedNode),
                         args, stream);
      case TableMemory::kConstant:
        return args.num_nodes <= kFewNodes ? run_constant<Held, kFewNodes, kDirect, Sums>(args, stream)
                                           : run_constant<Held, kMostNodes, kDirect, Sums>(args, stream);
    }
  }

  template <typename Held, std::size_t kSize, bool kDirect, typename Sums>
  void run_constant(const TableArgs<Held>& args, const cuda::Stream& stream) {
    ConstantNodes<kSize> nodes{};
    std::copy(constant_.begin(), constant_.end(), nodes.nodes);
    run<Sums>(constant_kernel<Held, kSize, kDirect, Sums>, 0, args, stream, nodes);
  }

  template <typename Sums, typename Kernel, typename Args, typename... More>
  void run(Kernel kernel, std::size_t node_bytes, const Args& args, const cuda::Stream& stream, const More&... more) {
    const unsigned threads = has_one_sum(*model_) ? kThreads : kThreadsWithSums;
    const std::size_t shared_bytes = node_bytes + threads * sum_bytes<Sums>(*model_);
    const unsigned blocks = blocks_that_run(kernel, threads, shared_bytes, args.rows.num_records, threads);
    cuda::launch("table", kernel, blocks, threads, shared_bytes, stream, args, more...);
  }

  SharedModel model_;
  Values values_;
  TableMemory memory_;
  bool direct_;
  GpuTrees trees_;
  RowHolder holder_;
  std::vector<PackedNode> constant_;
};

}  // namespace

std::string table_obstacle(const EvaluationModel& model, Values values, Device device, TableMemory memory,
                           bool direct) {
  const std::string obstacle = packed_obstacle(model, values);
  if (!obstacle.empty()) return obstacle;
  if (direct && !model.rank_obstacle.empty()) return model.rank_obstacle;
  if (direct && model.ranks.attributes.size() != 1)
    return "it is for forests that ask one attribute, and this one asks " +
           std::to_string(model.ranks.attributes.size());
  const std::size_t num_nodes = model.flat.nodes.size();
  if (memory == TableMemory::kConstant && num_nodes > kMostNodes)
    return "its " + std::to_string(num_nodes) + " nodes exceed the " + std::to_string(kMostNodes) +
           " that fit into constant memory";
  cuda::use_gpu(device.gpu);
  const std::size_t node_bytes = memory == TableMemory::kShared ? num_nodes * sizeof(PackedNode) : 0;
  return shared_memory_obstacle(node_bytes +
                                (has_one_sum(model) ? 0 : kThreadsWithSums * sum_bytes<OutputSums>(model)));
}

std::unique_ptr<RecordEvaluator> make_table(const StrategyRequest& request, TableMemory memory, bool direct) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Table>(request, memory, direct));
}

}  // namespace fernwood::records
