// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Forests that ask one attribute, as a step function of it: threads look the intervals of values up in shared memory.
#include "records/cuda/gpu_strategies.h"
#include "records/cuda/gpu_strategy.h"
#include "records/cuda/grid.cuh"
#include "records/interval_table.h"

namespace fernwood {

namespace {

constexpr unsigned kThreads = 512;

struct IntervalArgs {
  IntervalView intervals;
  const float* values;  // [record * step]
  std::size_t step, num_records;
  std::int32_t* classes;
};

template <typename T>
__device__ const T* bring(View1<const T> from, char*& room) {
  T* here = reinterpret_cast<T*>(room);
  for (std::size_t i = threadIdx.x; i < from.size; i += kThreads) here[i] = from[i];
  room += from.size * sizeof(T);
  return here;
}

/// Classes of records that lie side by side, 16 bytes at a time.
__device__ void classify_four(const IntervalArgs& a, const IntervalView& intervals, std::size_t first) {
  const float4 value = __ldcs(reinterpret_cast<const float4*>(a.values + first));
  const int4 classes = {class_of_value(intervals, value.x), class_of_value(intervals, value.y),
                        class_of_value(intervals, value.z), class_of_value(intervals, value.w)};
  __stcs(reinterpret_cast<int4*>(a.classes + first), classes);
}

/// @tparam kFours  Values lie side by side, on a boundary of 16 bytes.
template <bool kShared, bool kFours>
__global__ void __launch_bounds__(kThreads) interval_kernel(IntervalArgs a) {
  IntervalView intervals = a.intervals;
  if constexpr (kShared) {
    char* room = reinterpret_cast<char*>(block_memory);
    intervals.ranks.thresholds.data = bring(a.intervals.ranks.thresholds, room);
    intervals.ranks.marks.data = bring(a.intervals.ranks.marks, room);
    intervals.classes.data = bring(a.intervals.classes, room);
    __syncthreads();
  }
  const RankedAttribute attribute = a.intervals.ranks.attributes[0];
  intervals.ranks.attributes.data = &attribute;
  const std::size_t stride = std::size_t{gridDim.x} * kThreads,
                    thread = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::size_t in_fours = kFours ? a.num_records / 4 : 0;
  if constexpr (kFours)
    for (std::size_t i = thread; i < in_fours; i += stride) classify_four(a, intervals, 4 * i);
  for (std::size_t i = 4 * in_fours + thread; i < a.num_records; i += stride)
    a.classes[i] = class_of_value(intervals, a.values[i * a.step]);
}

class GpuInterval : public GpuStrategy {
 public:
  explicit GpuInterval(const EvaluationModel& model) : attribute_(model.ranks.attributes[0].attribute) {
    const cuda::Stream stream;
    const std::vector<std::int32_t> classes = classes_of_intervals(model);
    cuda::upload(model.ranks.attributes, attributes_, stream);
    cuda::upload(model.ranks.thresholds, thresholds_, stream);
    cuda::upload(model.ranks.marks, marks_, stream);
    cuda::upload(classes, classes_, stream);
    stream.synchronize();
  }

  void classify(const RecordView& records, std::int32_t* classes, const cuda::Stream& stream) override {
    const IntervalArgs args = {intervals(), records.data + attribute_ * records.attribute_step, records.record_step,
                               records.num_records, classes};
    const std::size_t table_bytes = thresholds_.size_bytes() + marks_.size_bytes() + classes_.size_bytes();
    const bool shared = table_bytes <= cuda::block_shared_bytes();
    const bool fours = args.step == 1 && reinterpret_cast<std::uintptr_t>(args.values) % sizeof(float4) == 0;
    const auto kernel = shared ? (fours ? interval_kernel<true, true> : interval_kernel<true, false>)
                               : (fours ? interval_kernel<false, true> : interval_kernel<false, false>);
    const std::size_t shared_bytes = shared ? table_bytes : 0;
    const unsigned blocks =
        blocks_that_run(kernel, kThreads, shared_bytes, args.num_records, kThreads * (fours ? 4 : 1));
    cuda::launch("interval", kernel, blocks, kThreads, shared_bytes, stream, args);
  }

 private:
  IntervalView intervals() const { return {{attributes_.view(), thresholds_.view(), marks_.view()}, classes_.view()}; }

  std::uint32_t attribute_;
  cuda::GpuBuffer<RankedAttribute> attributes_;
  cuda::GpuBuffer<float> thresholds_;
  cuda::GpuBuffer<std::uint32_t> marks_;
  cuda::GpuBuffer<std::int32_t> classes_;
};

}  // namespace

std::unique_ptr<RecordEvaluator> make_gpu_interval(const StrategyRequest& request) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<GpuInterval>(*request.model));
}

}  // namespace fernwood
