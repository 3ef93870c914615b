// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// For forests: values of a block's records lie in shared memory, and packed trees pass by (staged_kernel.cuh).
#include "records/cuda/gpu_strategies.h"
#include "records/cuda/pair_walk.cuh"
#include "records/cuda/staged_kernel.cuh"

namespace fernwood::records {

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
