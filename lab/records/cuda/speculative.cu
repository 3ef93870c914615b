// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Spencer's Procedures 4 and 5 for one tree: a record group has a thread for each node (4) or for each test (5); path[]
// is in shared memory. Published for half-warps that run in lockstep; here each step is followed by a barrier, of the
// warp if a group fits into one, otherwise of the block.
#include <bit>

#include "lab/records/cuda/gpu_strategies.h"
#include "lab/records/speculation.h"
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::lab {

using namespace records;

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMaxProcessors = 1024;
constexpr unsigned kRecordsPerGroup = 32;  // the paper's m

template <typename Held>
struct SpeculativeArgs {
  View1<const PackedRecordNode> nodes;
  const std::int32_t* child;
  const std::int32_t* answers;
  View1<const std::int32_t> tests;
  PackedBits bits;
  int reductions;
  unsigned group_threads;  // a power of two
  HeldRows<typename Held::Value> rows;
  std::int32_t* classes;
};

/// Barriers for the threads of a warp or a block.
struct WarpBarrier {
  __device__ static void wait() { __syncwarp(); }
  __device__ static bool any(bool flag) { return __any_sync(0xffffffffu, flag); }
};
struct BlockBarrier {
  __device__ static void wait() { __syncthreads(); }
  __device__ static bool any(bool flag) { return __syncthreads_or(flag); }
};

/// A thread of a group: its node, if any, and the group's path.
struct Processor {
  std::int32_t node;  // -1: idle
  std::int32_t* path;
  bool leads;
};

/// Procedure 4, lines 14 to 17, and 5, lines 19 to 22: pointer jumping until the root's pointer has reached a leaf.
template <typename Barrier>
__device__ void reduce_path(const Processor& self, const std::int32_t* answers, int reductions) {
  while (Barrier::any(answers[self.path[0]] == kNoAnswer)) {
    std::int32_t next = self.node >= 0 ? self.path[self.node] : 0;
    for (int k = 0; k < reductions; ++k) next = self.path[next];
    Barrier::wait();
    if (self.node >= 0) self.path[self.node] = next;
    Barrier::wait();
  }
}

/// @tparam kLeaves  Procedure 4: leaves also have a thread, and are evaluated for each record.
template <typename Held, bool kLeaves, typename Barrier>
__global__ void speculative_kernel(SpeculativeArgs<Held> a) {
  auto* answers = reinterpret_cast<std::int32_t*>(block_memory);
  const auto num_nodes = static_cast<unsigned>(a.nodes.size);
  const unsigned group = threadIdx.x / a.group_threads, rank = threadIdx.x % a.group_threads;
  const unsigned groups = blockDim.x / a.group_threads;
  const unsigned num_processors = kLeaves ? num_nodes : static_cast<unsigned>(a.tests.size);
  Processor self{-1, answers + num_nodes * (1 + group), rank == 0};
  if (rank < num_processors) self.node = kLeaves ? static_cast<std::int32_t>(rank) : a.tests[rank];
  for (unsigned i = threadIdx.x; i < num_nodes; i += blockDim.x) answers[i] = a.answers[i];
  for (unsigned i = rank; i < num_nodes; i += a.group_threads) self.path[i] = a.child[i];  // a leaf points to itself
  __syncthreads();

  const PackedRecordNode node = self.node >= 0 ? a.nodes[self.node] : PackedRecordNode{0, 0};
  const bool is_test = self.node >= 0 && answers[self.node] == kNoAnswer;
  const std::int32_t child = self.node >= 0 ? a.child[self.node] : 0;
  const std::size_t first = (std::size_t{blockIdx.x} * groups + group) * kRecordsPerGroup;
  for (unsigned m = 0; m < kRecordsPerGroup; ++m) {
    const std::size_t record = min(first + m, a.rows.num_records - 1);  // all groups must reach the barriers
    if (is_test) {
      const auto value = a.rows.value(a.rows.row(record), a.bits.attribute(node.link));
      self.path[self.node] = child + Held::side(value, node.payload, a.bits.nan_left(node.link));
    } else if (kLeaves && self.node >= 0) {
      self.path[self.node] = child;
    }
    Barrier::wait();
    reduce_path<Barrier>(self, answers, a.reductions);
    if (self.leads && first + m < a.rows.num_records) a.classes[record] = answers[self.path[0]];
    Barrier::wait();
  }
}

class Speculative : public GpuStrategy {
 public:
  /// @param reductions  0: Procedure 4, in which leaves also have a thread.
  Speculative(const StrategyRequest& request, int reductions)
      : model_(request.model),
        values_(request.values),
        with_leaves_(reductions == 0),
        reductions_(std::max(1, reductions)),
        holder_(*model_) {
    const SpeculativeTree tree = speculative_tree(*model_, values_);
    const cuda::Stream stream;
    cuda::upload(tree.nodes, nodes_, stream);
    cuda::upload(tree.child, child_, stream);
    cuda::upload(tree.answers, answers_, stream);
    cuda::upload(tree.tests, tests_, stream);
    bits_ = tree.bits;
    group_threads_ = std::bit_ceil(
        static_cast<unsigned>(std::max<std::size_t>(1, with_leaves_ ? tree.nodes.size() : tree.tests.size())));
  }

  void evaluate(const RecordView& records, const records::Found& found, const cuda::Stream& stream) override {
    with_held(*model_, values_, [&]<typename Held>(Held) {
      SpeculativeArgs<Held> args{std::as_const(nodes_).view(),
                                 child_.data(),
                                 answers_.data(),
                                 std::as_const(tests_).view(),
                                 bits_,
                                 reductions_,
                                 group_threads_,
                                 {},
                                 found.numbers};
      holder_.hold(records, args.rows, stream);
      if (with_leaves_)
        choose_barrier<Held, true>(args, stream);
      else
        choose_barrier<Held, false>(args, stream);
    });
  }

 private:
  template <typename Held, bool kLeaves>
  void choose_barrier(const SpeculativeArgs<Held>& args, const cuda::Stream& stream) {
    const auto kernel = group_threads_ <= 32 ? speculative_kernel<Held, kLeaves, WarpBarrier>
                                             : speculative_kernel<Held, kLeaves, BlockBarrier>;
    const unsigned threads = std::max(kThreads, group_threads_), groups = threads / group_threads_;
    const std::size_t shared_bytes = args.nodes.size * (1 + groups) * sizeof(std::int32_t);
    if (shared_bytes > kFreeSharedBytes) cuda::allow_shared_memory(kernel, shared_bytes);
    cuda::launch("speculative", kernel, cuda::blocks_for(args.rows.num_records, std::size_t{groups} * kRecordsPerGroup),
                 threads, shared_bytes, stream, args);
  }

  SharedModel model_;
  Values values_;
  bool with_leaves_;
  int reductions_;
  RowHolder holder_;
  cuda::GpuBuffer<PackedRecordNode> nodes_;
  cuda::GpuBuffer<std::int32_t> child_, answers_, tests_;
  PackedBits bits_{0};
  unsigned group_threads_ = 1;
};

}  // namespace

OptionSentence speculative_all_unsupported(const EvaluationModel& model, Values values, Device) {
  return speculation_unsupported(model, values, kMaxProcessors, true);
}
std::unique_ptr<RecordEvaluator> make_speculative_all(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Speculative>(request, 0));
}

OptionSentence speculative_unsupported(const EvaluationModel& model, Values values, Device) {
  return speculation_unsupported(model, values, kMaxProcessors, false);
}
std::unique_ptr<RecordEvaluator> make_speculative(const StrategyRequest& request, int reductions) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Speculative>(request, reductions));
}

}  // namespace fernwood::lab
