// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Spencer's decomposition within a warp: a lane for each test of one tree, several record groups in a warp where the
// tree is small. Pointers jump by shuffles: no shared memory, no barrier, and only as many jumps as the depth requires.
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"
#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kRecords = 8;  // processed at a time by a group

template <typename Held>
struct WarpArgs {
  const LaneTest* tests;  // [lane of a group]
  unsigned group_lanes;   // a power of two
  unsigned jumps;
  PackedBits bits;
  HeldRows<typename Held::Value> rows;
  std::int32_t* classes;
};

template <typename Held>
__global__ void __launch_bounds__(kThreads) speculative_warp_kernel(WarpArgs<Held> a) {
  const std::size_t thread = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  const unsigned lane = threadIdx.x % a.group_lanes;
  const std::size_t group = thread / a.group_lanes, num_groups = std::size_t{gridDim.x} * kThreads / a.group_lanes;
  const LaneTest mine = a.tests[lane];
  const std::uint32_t attribute = a.bits.attribute(mine.test.link);
  const int nan_left = a.bits.nan_left(mine.test.link);
  const std::size_t rounds = (a.rows.num_records + num_groups * kRecords - 1) / (num_groups * kRecords);
  for (std::size_t round = 0; round < rounds; ++round) {  // the same for all lanes, since all take part in shuffles
    const std::size_t first = (round * num_groups + group) * kRecords;
    std::int32_t next[kRecords];
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      const std::size_t record = min(first + r, a.rows.num_records - 1);
      next[r] = mine.next[Held::side(a.rows.value(a.rows.row(record), attribute), mine.test.payload, nan_left)];
    }
    for (unsigned jump = 0; jump < a.jumps; ++jump) {
#pragma unroll
      for (unsigned r = 0; r < kRecords; ++r) {
        const std::int32_t beyond = __shfl_sync(0xffffffffu, next[r], next[r] >= 0 ? next[r] : 0, a.group_lanes);
        if (next[r] >= 0) next[r] = beyond;
      }
    }
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r)
      if (lane == 0 && first + r < a.rows.num_records) a.classes[first + r] = ~next[r];
  }
}

class SpeculativeWarp : public GpuStrategy {
 public:
  explicit SpeculativeWarp(const StrategyRequest& request)
      : model_(request.model), values_(request.values), holder_(*model_) {
    const LaneTree tree = lane_tree(*model_, values_);
    group_lanes_ = static_cast<unsigned>(tree.lanes.size());
    jumps_ = tree.jumps;
    bits_ = tree.bits;
    const cuda::Stream stream;
    cuda::upload(tree.lanes, tests_, stream);
  }

  void evaluate(const RecordView& records, const Found& found, const cuda::Stream& stream) override {
    with_held(*model_, values_, [&]<typename Held>(Held) {
      WarpArgs<Held> args{tests_.data(), group_lanes_, jumps_, bits_, {}, found.numbers};
      holder_.hold(records, args.rows, stream);
      const auto kernel = speculative_warp_kernel<Held>;
      const unsigned blocks =
          blocks_that_run(kernel, kThreads, 0, records.num_records, std::size_t{kThreads / group_lanes_} * kRecords);
      cuda::launch("speculative-warp", kernel, blocks, kThreads, 0, stream, args);
    });
  }

 private:
  SharedModel model_;
  Values values_;
  RowHolder holder_;
  cuda::GpuBuffer<LaneTest> tests_;
  unsigned group_lanes_ = 1, jumps_ = 0;
  PackedBits bits_{0};
};

}  // namespace

OptionSentence speculative_warp_unsupported(const EvaluationModel& model, Values values, Device) {
  const OptionSentence reason = classes_only_unsupported(model);
  return reason.empty() ? speculation_unsupported(model, values, 32, false) : reason;
}
std::unique_ptr<RecordEvaluator> make_speculative_warp(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<SpeculativeWarp>(request));
}

}  // namespace fernwood::records
