// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// For forests of shallow trees: the values of a block's records are in shared memory, and trees are loaded one window
// after another (staged_kernel.cuh). Trees are perfect (packed_forest.h), so that a test takes 4 or 8 bytes, the upper
// levels have no bank conflicts, and all lanes take the same number of steps.
#include "records/cuda/gpu_strategy.h"
#include "records/cuda/staged_kernel.cuh"
#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

namespace {

constexpr std::uint32_t kPerWord = sizeof(uint4) / sizeof(std::uint32_t);

struct HeapForm {
  const uint4* words;
  View1<const HeapTree> trees;

  __device__ std::uint32_t begin(std::uint32_t tree) const { return trees[tree].first_word / kPerWord; }
  __device__ std::uint32_t end(std::uint32_t tree) const { return begin(tree) + trees[tree].num_words / kPerWord; }

  template <typename Held, typename ValueOf>
  __device__ void walk(std::uint32_t tree, const uint4* here, const ValueOf& value_of,
                       std::int32_t (&answer)[kStagedRecords]) const {
    const auto* heap = reinterpret_cast<const std::uint32_t*>(here);
    const std::uint32_t depth = trees[tree].depth;
    std::uint32_t test[kStagedRecords] = {};
    for (std::uint32_t level = 0; level < depth; ++level)
#pragma unroll
      for (unsigned r = 0; r < kStagedRecords; ++r)
        test[r] =
            2 * test[r] + 1 + heap_side<Held>(heap, test[r], [&](std::uint32_t slot) { return value_of(r, slot); });
#pragma unroll
    for (unsigned r = 0; r < kStagedRecords; ++r)
      answer[r] = static_cast<std::int32_t>(heap[heap_answer<Held>(test[r], depth)]);
  }
};

class HeapOwner {
 public:
  HeapOwner(const EvaluationModel& model, Values values) {
    const HeapForest forest = fill_up(model, values);
    const cuda::Stream stream;
    cuda::upload(forest.trees, trees_, stream);
    cuda::upload(forest.words, words_, stream);
  }

  static Division division(const EvaluationModel& model, Values values) {
    std::size_t largest = 0, all = 0;
    for (const FlatTree& tree : model.flat.trees) {
      const std::size_t bytes = heap_words(tree.depth, values) * sizeof(std::uint32_t);
      largest = std::max(largest, bytes);
      all += bytes;
    }
    return divide_block(model, values, largest, all);
  }

  HeapForm form(const TreesView&) const { return {reinterpret_cast<const uint4*>(words_.data()), trees_.view()}; }

 private:
  cuda::GpuBuffer<HeapTree> trees_;
  cuda::GpuBuffer<std::uint32_t> words_;
};

}  // namespace

OptionSentence heap_ordered_unsupported(const EvaluationModel& model, Values values, Device device) {
  for (const OptionSentence& unsupported_reason :
       {gpu_answer_unsupported(model), packed_unsupported(model, values), heap_unsupported(model)})
    if (!unsupported_reason.empty()) return unsupported_reason;
  cuda::use_gpu(device.gpu);
  return division_unsupported(HeapOwner::division(model, values));
}

std::unique_ptr<RecordEvaluator> make_heap_ordered(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<StagedStrategy<HeapOwner>>(request));
}

}  // namespace fernwood::records
