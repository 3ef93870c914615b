// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"
#include "records/cuda/staged_kernel.cuh"

namespace fernwood::records {

namespace {

constexpr unsigned kFewestThreads = 64;
constexpr std::size_t kBlockBytes = 74u << 10;  // three blocks share a multiprocessor

Division divide(const EvaluationModel& model, unsigned threads, std::size_t value_size, std::size_t bytes) {
  Division division;
  division.threads = threads;
  division.value_bytes = (model.ranks.attributes.size() * column_step(threads) * value_size + 15) / 16 * 16;
  division.sum_bytes = has_one_sum(model) ? 0 : threads * kStagedRecords * sum_bytes<OutputSums>(model);
  const std::size_t taken = division.value_bytes + division.sum_bytes;
  division.window_bytes = taken < bytes ? (bytes - taken) / 16 * 16 : 0;
  return division;
}

}  // namespace

Division divide_block(const EvaluationModel& model, Values values, std::size_t largest_tree, std::size_t all_trees) {
  const std::size_t value_size = values == Values::kRanks ? sizeof(std::uint16_t) : sizeof(float);
  for (const std::size_t bytes : {kBlockBytes, cuda::block_shared_bytes()})
    for (unsigned threads = kMostStagedThreads; threads >= kFewestThreads; threads /= 2) {
      Division division = divide(model, threads, value_size, bytes);
      if (division.window_bytes < largest_tree) continue;
      division.window_bytes = std::min(division.window_bytes, all_trees);
      return division;
    }
  return {};
}

std::string division_obstacle(const Division& division) {
  if (division.threads > 0) return "";
  return "its largest tree and the values of some records do not fit into " +
         std::to_string(cuda::block_shared_bytes() >> 10) + " KiB of shared memory";
}

// For forests: values of a block's records lie in shared memory, and packed trees pass by (staged_kernel.cuh).

namespace {

constexpr std::uint32_t kNodesPerWord = sizeof(uint4) / sizeof(PackedNode);

struct PackedForm {
  const uint4* words;
  View1<const FlatTree> trees;
  PackedBits bits;

  __device__ std::uint32_t begin(std::uint32_t tree) const { return trees[tree].first_slot / kNodesPerWord; }
  __device__ std::uint32_t end(std::uint32_t tree) const { return begin(tree) + trees[tree].num_slots / kNodesPerWord; }

  template <typename Held, typename ValueOf>
  __device__ void walk(std::uint32_t, const uint4* pairs, const ValueOf& value_of,
                       std::int32_t (&answer)[kStagedRecords]) const {
    PackedNode node[kStagedRecords];
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
      largest = std::max(largest, tree.num_slots * sizeof(PackedNode));
      all += tree.num_slots * sizeof(PackedNode);
    }
    return divide_block(model, values, largest, all);
  }

  /// The strategy's own copy of the forest is in this form already.
  PackedForm form(const TreesView& forest) const {
    return {reinterpret_cast<const uint4*>(forest.nodes), forest.trees, forest.bits};
  }
};

}  // namespace

std::string staged_obstacle(const EvaluationModel& model, Values values, Device device) {
  for (const std::string& obstacle : {packed_obstacle(model, values), model.rank_obstacle})
    if (!obstacle.empty()) return obstacle;
  cuda::use_gpu(device.gpu);
  return division_obstacle(PackedOwner::division(model, values));
}

std::unique_ptr<RecordEvaluator> make_staged(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<StagedStrategy<PackedOwner>>(request));
}

}  // namespace fernwood::records
