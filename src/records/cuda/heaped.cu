// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// For forests of shallow trees: as in staged.cu, but trees are perfect (heap_forest.h), so that a test takes 4 or 8
// bytes, the upper levels never meet in a bank, and all lanes take as many steps.
#include "records/cuda/gpu_strategies.h"
#include "records/cuda/gpu_strategy.h"
#include "records/cuda/staging.cuh"
#include "records/evaluate/heap_forest.h"

namespace fernwood {

namespace {

constexpr unsigned kRecords = kStagedRecords;

struct HeapedArgs {
  TreesView forest;
  View1<const HeapTree> trees;
  const std::uint32_t* words;
  RankView ranks;
  RecordView records;
  std::uint32_t window_words;  // that there is room for
  std::uint32_t value_bytes;   // of a block's values
  std::int32_t* classes;
};

/// The tree behind the last one that fits into the window together with those from `begin` on.
__device__ std::uint32_t end_of_window(const HeapedArgs& a, std::uint32_t begin) {
  std::uint32_t end = begin, words = 0;
  while (end < a.trees.size && words + a.trees[end].num_words <= a.window_words) words += a.trees[end++].num_words;
  return end;
}

/// Answers of one tree to a thread's records.
template <typename Held>
__device__ void walk_heap(const std::uint32_t* words, std::uint32_t depth, const typename Held::Value* values,
                          unsigned step, const unsigned (&place)[kRecords], std::int32_t (&answer)[kRecords]) {
  std::uint32_t test[kRecords] = {};
  for (std::uint32_t level = 0; level < depth; ++level)
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r)
      test[r] = 2 * test[r] + 1 +
                heap_side<Held>(words, test[r], [&](std::uint32_t slot) { return values[slot * step + place[r]]; });
#pragma unroll
  for (unsigned r = 0; r < kRecords; ++r)
    answer[r] = static_cast<std::int32_t>(words[heap_answer<Held>(test[r], depth)]);
}

template <typename Held, typename Sums>
__global__ void __launch_bounds__(kMostStagedThreads) heaped_kernel(HeapedArgs a) {
  auto* values = reinterpret_cast<typename Held::Value*>(block_memory);
  uint4* window = block_memory + a.value_bytes / sizeof(uint4);
  const std::size_t sums_at = a.value_bytes + a.window_words * sizeof(std::uint32_t);
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
    for (std::uint32_t begin = 0; begin < a.trees.size;) {
      const std::uint32_t end = end_of_window(a, begin), first_word = a.trees[begin].first_word;
      const std::uint32_t num_words = a.trees[end - 1].first_word + a.trees[end - 1].num_words - first_word;
      __syncthreads();
      const auto* from = reinterpret_cast<const uint4*>(a.words + first_word);
      for (std::uint32_t i = threadIdx.x; i < num_words / 4; i += blockDim.x) window[i] = from[i];
      __syncthreads();
      for (; begin < end; ++begin) {
        const HeapTree tree = a.trees[begin];
        std::int32_t answer[kRecords];
        walk_heap<Held>(reinterpret_cast<const std::uint32_t*>(window) + (tree.first_word - first_word), tree.depth,
                        values, step, place, answer);
#pragma unroll
        for (unsigned r = 0; r < kRecords; ++r) sums[r].add(a.forest, a.forest.trees[begin], answer[r]);
      }
    }
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r)
      if (r * blockDim.x + threadIdx.x < count) a.classes[first + place[r]] = sums[r].finish(a.forest);
  }
}

Division heaped_division(const EvaluationModel& model, Values values, const HeapForest& forest) {
  std::size_t largest = 0;
  for (const HeapTree& tree : forest.trees) largest = std::max<std::size_t>(largest, 4 * tree.num_words);
  return divide_block(model, values, largest, 4 * forest.words.size());
}

class Heaped : public GpuStrategy {
 public:
  explicit Heaped(const StrategyRequest& request)
      : model_(request.model),
        values_(request.values),
        trees_(*model_, values_, AttributeNames::kSlot),
        holder_(*model_) {
    const HeapForest forest = fill_up(*model_, values_);
    division_ = heaped_division(*model_, values_, forest);
    const cuda::Stream stream;
    cuda::upload(forest.trees, heaps_, stream);
    cuda::upload(forest.words, words_, stream);
    stream.synchronize();
  }

  void classify(const RecordView& records, std::int32_t* classes, const cuda::Stream& stream) override {
    const HeapedArgs args{trees_.view(),
                          std::as_const(heaps_).view(),
                          words_.data(),
                          holder_.ranks(),
                          records,
                          static_cast<std::uint32_t>(division_.window_bytes / sizeof(std::uint32_t)),
                          static_cast<std::uint32_t>(division_.value_bytes),
                          classes};
    with_held(*model_, values_, [&]<typename Held>(Held) {
      with_sums(*model_, [&]<typename Sums>(Sums) {
        const auto kernel = heaped_kernel<Held, Sums>;
        const unsigned blocks = blocks_that_run(kernel, division_.threads, division_.total(), records.num_records,
                                                std::size_t{division_.threads} * kRecords);
        cuda::launch("heaped", kernel, blocks, division_.threads, division_.total(), stream, args);
      });
    });
  }

 private:
  SharedModel model_;
  Values values_;
  Division division_;
  GpuTrees trees_;
  RowHolder holder_;
  cuda::GpuBuffer<HeapTree> heaps_;
  cuda::GpuBuffer<std::uint32_t> words_;
};

}  // namespace

std::string heaped_obstacle(const EvaluationModel& model, Values values, Device device) {
  for (const std::string& obstacle : {packed_obstacle(model, values), heap_obstacle(model)})
    if (!obstacle.empty()) return obstacle;
  cuda::use_gpu(device.gpu);
  return division_obstacle(heaped_division(model, values, fill_up(model, values)));
}

std::unique_ptr<RecordEvaluator> make_heaped(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Heaped>(request));
}

}  // namespace fernwood
