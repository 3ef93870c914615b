// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Windowed speculation (speculation.h) for trees of any size: a warp for each record and a lane for each test of the
// window; one ballot collects all sides, and the exit selects the next window. Four records at once hide load
// latencies.
#include "lab/records/cuda/gpu_strategies.h"
#include "lab/records/speculation.h"
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::lab {

using namespace records;

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kRecords = 4;

template <typename Held>
struct WindowedArgs {
  TreesView forest;
  const PackedRecordNode* tests;
  const WindowExit* exits;
  const std::uint32_t* roots;
  HeldRows<typename Held::Value> rows;
};

/// Answers of one tree for the records of a warp; equal in all lanes.
template <typename Held>
__device__ void walk_windows(const WindowedArgs<Held>& a, std::uint32_t tree,
                             const typename Held::Value* const (&row)[kRecords], std::int32_t (&answer)[kRecords]) {
  const unsigned lane = threadIdx.x % 32;
  std::int32_t window[kRecords];
#pragma unroll
  for (unsigned r = 0; r < kRecords; ++r) window[r] = static_cast<std::int32_t>(a.roots[tree]);
  for (bool walking = true; walking;) {
    walking = false;
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      if (window[r] < 0) continue;
      const PackedRecordNode test = a.tests[static_cast<std::uint32_t>(window[r]) * kWindowExits + lane];
      const auto value = a.rows.value(row[r], a.forest.bits.attribute(test.link));
      const unsigned sides =
          __ballot_sync(0xffffffffu, Held::side(value, test.payload, a.forest.bits.nan_left(test.link)));
      const WindowExit exit = a.exits[static_cast<std::uint32_t>(window[r]) * kWindowExits + window_exit(sides)];
      window[r] = exit.next;
      answer[r] = exit.answer;
      walking |= exit.next >= 0;
    }
  }
}

template <typename Held, typename Sums>
__global__ void windowed_kernel(WindowedArgs<Held> a) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  const std::size_t stride = std::size_t{gridDim.x} * warps * kRecords;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * kRecords; first < a.rows.num_records;
       first += stride) {
    const typename Held::Value* row[kRecords];
    Sums sums[kRecords];
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      row[r] = a.rows.row(min(first + r, a.rows.num_records - 1));
      sums[r] = sums_in_block<Sums>(0, warp * kRecords + r, warps * kRecords);
      if (lane == 0) sums[r].begin(a.forest, first + r);
    }
    for (std::uint32_t t = 0; t < a.forest.trees.size; ++t) {
      std::int32_t answer[kRecords];
      walk_windows(a, t, row, answer);
#pragma unroll
      for (unsigned r = 0; r < kRecords; ++r)
        if (lane == 0) sums[r].add(a.forest, t, answer[r]);
    }
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r)
      if (lane == 0 && first + r < a.rows.num_records) sums[r].store(a.forest);
  }
}

class Windowed : public GpuStrategy {
 public:
  explicit Windowed(const StrategyRequest& request)
      : model_(request.model),
        values_(request.values),
        trees_(*model_, values_, AttributeNames::kRecord),
        holder_(*model_) {
    const WindowedForest windowed = cut_into_windows(*model_, values_);
    const cuda::Stream stream;
    cuda::upload(windowed.tests, tests_, stream);
    cuda::upload(windowed.exits, exits_, stream);
    cuda::upload(windowed.roots, roots_, stream);
  }

  void evaluate(const RecordView& records, const records::Found& found, const cuda::Stream& stream) override {
    with_held(*model_, values_, [&]<typename Held>(Held) {
      WindowedArgs<Held> args{trees_.view(found), tests_.data(), exits_.data(), roots_.data(), {}};
      holder_.hold(records, args.rows, stream);
      with_class_sums(*model_, [&]<typename Sums>(Sums) {
        constexpr std::size_t kPerBlock = kThreads / 32 * kRecords;
        const std::size_t shared_bytes = kPerBlock * sum_bytes(*model_);
        const auto kernel = windowed_kernel<Held, Sums>;
        const unsigned blocks = blocks_that_run(kernel, kThreads, shared_bytes, records.num_records, kPerBlock);
        cuda::launch("windowed", kernel, blocks, kThreads, shared_bytes, stream, args);
      });
    });
  }

 private:
  SharedModel model_;
  Values values_;
  GpuTrees trees_;
  RowHolder holder_;
  cuda::GpuBuffer<PackedRecordNode> tests_;
  cuda::GpuBuffer<WindowExit> exits_;
  cuda::GpuBuffer<std::uint32_t> roots_;
};

}  // namespace

OptionSentence windowed_unsupported(const EvaluationModel& model, Values values, Device device) {
  const OptionSentence unsupported_reason = packed_unsupported(model, values);
  if (!unsupported_reason.empty() || has_one_sum(model)) return unsupported_reason;
  cuda::use_gpu(device.gpu);
  return shared_memory_unsupported(kThreads / 32 * kRecords * sum_bytes(model));
}
std::unique_ptr<RecordEvaluator> make_windowed(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Windowed>(request));
}

}  // namespace fernwood::lab
