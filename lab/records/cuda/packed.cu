// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Packed nodes in pairs of siblings. "packed": a thread walks four records at once, with nodes in shared memory if they
// fit; never the fastest. "staged": the values of a block's records are in shared memory, and trees pass through it;
// perfect trees (heap_ordered) are faster there.
#include "lab/records/cuda/gpu_strategies.h"
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"
#include "records/cuda/staged_kernel.cuh"

namespace fernwood::lab {

using namespace records;

namespace {

/// Selects the node of one side from a pair of siblings.
__device__ inline PackedRecordNode take(const uint4& pair, int side) {
  return side ? PackedRecordNode{pair.z, pair.w} : PackedRecordNode{pair.x, pair.y};
}

/// Walks the records of a thread down a tree in step: while the values of their tests are loaded, one 16-byte load
/// reads both children of each.
/// @param pair_of   pair_of(slot): the nodes at an even slot of the tree and after it.
/// @param value_of  value_of(record, attribute): of type Held::Value.
/// @param node      Output: the leaves.
template <typename Held, unsigned kRecords, typename PairOf, typename ValueOf>
__device__ void walk_pairs(const PackedBits& bits, const PairOf& pair_of, const ValueOf& value_of,
                           PackedRecordNode (&node)[kRecords]) {
  const PackedRecordNode root = take(pair_of(0), 1);
#pragma unroll
  for (unsigned r = 0; r < kRecords; ++r) node[r] = root;
  for (bool walking = !PackedBits::is_leaf(root.link); walking;) {
    walking = false;
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      const std::uint32_t link = node[r].link;
      if (PackedBits::is_leaf(link)) continue;
      const uint4 children = pair_of(bits.children(link));
      const auto value = value_of(r, bits.attribute(link));
      node[r] = take(children, Held::side(value, node[r].payload, bits.nan_left(link)));
      walking |= !PackedBits::is_leaf(node[r].link);
    }
  }
}

constexpr unsigned kThreads = 256;
constexpr unsigned kThreadsWithSums = 64;
constexpr unsigned kRecords = 4;
constexpr std::size_t kMaxSharedNodeBytes = 64u << 10;  // so that three blocks share a multiprocessor

template <typename Held>
struct PackedArgs {
  TreesView forest;
  HeldRows<typename Held::Value> rows;
  std::uint32_t num_nodes;
};

template <typename Held, bool kShared, typename Sums>
__global__ void packed_kernel(PackedArgs<Held> a) {
  const std::size_t node_bytes = kShared ? a.num_nodes * sizeof(PackedRecordNode) : 0;
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
    PackedRecordNode node[kRecords];
    Sums sums[kRecords];
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      // After the last record the last one is walked again, without output.
      row[r] = a.rows.row(min(first + r * blockDim.x, a.rows.num_records - 1));
      sums[r] = sums_in_block<Sums>(node_bytes, r * blockDim.x + threadIdx.x, kRecords * blockDim.x);
      sums[r].begin(a.forest, min(first + r * blockDim.x, a.rows.num_records - 1));
    }
    for (std::uint32_t t = 0; t < a.forest.trees.size; ++t) {
      const FlatTree tree = a.forest.trees[t];
      const uint4* pairs_of_tree = pairs + tree.first_slot / 2;
      walk_pairs<Held, kRecords>(
          a.forest.bits,
          [&](std::uint32_t slot) { return kShared ? pairs_of_tree[slot / 2] : __ldg(pairs_of_tree + slot / 2); },
          [&](unsigned r, std::uint32_t attribute) { return a.rows.value(row[r], attribute); }, node);
#pragma unroll
      for (unsigned r = 0; r < kRecords; ++r) sums[r].add(a.forest, t, static_cast<std::int32_t>(node[r].payload));
    }
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      const std::size_t i = first + r * blockDim.x;
      if (i < a.rows.num_records) sums[r].store(a.forest);
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

  void evaluate(const RecordView& records, const records::Found& found, const cuda::Stream& stream) override {
    if (records.num_records == 0) return;
    with_held(*model_, values_, [&]<typename Held>(Held) {
      PackedArgs<Held> args{trees_.view(found), {}, static_cast<std::uint32_t>(trees_.num_nodes())};
      holder_.hold(records, args.rows, stream);
      const bool shared = args.num_nodes * sizeof(PackedRecordNode) <= kMaxSharedNodeBytes;
      with_class_sums(*model_, [&]<typename Sums>(Sums) {
        if (shared)
          run<Sums>(packed_kernel<Held, true, Sums>, args.num_nodes * sizeof(PackedRecordNode), args, stream);
        else
          run<Sums>(packed_kernel<Held, false, Sums>, 0, args, stream);
      });
    });
  }

 private:
  template <typename Sums, typename Kernel, typename Args>
  void run(Kernel kernel, std::size_t node_bytes, const Args& args, const cuda::Stream& stream) {
    const unsigned threads = has_one_sum(*model_) ? kThreads : kThreadsWithSums;
    const std::size_t shared_bytes = node_bytes + threads * kRecords * sum_bytes(*model_);
    const unsigned blocks =
        blocks_that_run(kernel, threads, shared_bytes, args.rows.num_records, std::size_t{threads} * kRecords);
    cuda::launch("packed", kernel, blocks, threads, shared_bytes, stream, args);
  }

  SharedModel model_;
  Values values_;
  GpuTrees trees_;
  RowHolder holder_;
};

constexpr std::uint32_t kNodesPerWord = sizeof(uint4) / sizeof(PackedRecordNode);

struct PackedForm {
  const uint4* words;
  View1<const FlatTree> trees;
  PackedBits bits;

  __device__ std::uint32_t begin(std::uint32_t tree) const { return trees[tree].first_slot / kNodesPerWord; }
  __device__ std::uint32_t end(std::uint32_t tree) const { return begin(tree) + trees[tree].num_slots / kNodesPerWord; }

  template <typename Held, typename ValueOf>
  __device__ void walk(std::uint32_t, const uint4* pairs, const ValueOf& value_of,
                       std::int32_t (&answer)[kStagedRecords]) const {
    PackedRecordNode node[kStagedRecords];
    walk_pairs<Held, kStagedRecords>(
        bits, [&](std::uint32_t slot) { return pairs[slot / kNodesPerWord]; }, value_of, node);
#pragma unroll
    for (unsigned r = 0; r < kStagedRecords; ++r) answer[r] = static_cast<std::int32_t>(node[r].payload);
  }
};

struct PackedOwner {
  PackedOwner(const EvaluationModel&, Values) {}

  static Division division(const EvaluationModel& model, Values values) {
    std::size_t largest = 0, all = 0;
    for (const FlatTree& tree : model.flat.trees) {
      largest = std::max(largest, tree.num_slots * sizeof(PackedRecordNode));
      all += tree.num_slots * sizeof(PackedRecordNode);
    }
    return divide_block(model, values, largest, all);
  }

  /// The strategy's own copy of the forest already has this form.
  PackedForm form(const TreesView& forest) const {
    return {reinterpret_cast<const uint4*>(forest.nodes), forest.trees, forest.bits};
  }
};

}  // namespace

OptionSentence packed_strategy_unsupported(const EvaluationModel& model, Values values, Device device) {
  const OptionSentence unsupported_reason = packed_unsupported(model, values);
  if (!unsupported_reason.empty() || has_one_sum(model)) return unsupported_reason;
  cuda::use_gpu(device.gpu);
  return shared_memory_unsupported(kMaxSharedNodeBytes + kThreadsWithSums * kRecords * sum_bytes(model));
}

std::unique_ptr<RecordEvaluator> make_packed(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Packed>(request));
}

OptionSentence staged_unsupported(const EvaluationModel& model, Values values, Device device) {
  for (const OptionSentence& unsupported_reason : {packed_unsupported(model, values), model.ranks_unsupported})
    if (!unsupported_reason.empty()) return unsupported_reason;
  cuda::use_gpu(device.gpu);
  return division_unsupported(PackedOwner::division(model, values));
}

std::unique_ptr<RecordEvaluator> make_staged(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<StagedStrategy<PackedOwner>>(request));
}

}  // namespace fernwood::lab
