// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Forests that ask one attribute, as a step function of it: each thread takes four records, and looks their intervals
// up in shared memory.
#include "records/cuda/gpu_strategies.h"
#include "records/cuda/gpu_strategy.h"
#include "records/cuda/grid.cuh"
#include "records/interval_table.h"

namespace fernwood {

namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kRecords = 4;

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

template <bool kShared>
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
  const std::size_t per_block = std::size_t{kThreads} * kRecords;
  for (std::size_t first = blockIdx.x * per_block + threadIdx.x; first < a.num_records;
       first += gridDim.x * per_block) {
    float value[kRecords];
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      const std::size_t i = first + r * kThreads;
      value[r] = i < a.num_records ? a.values[i * a.step] : 0.0f;
    }
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      const std::size_t i = first + r * kThreads;
      if (i < a.num_records) a.classes[i] = class_of_value(intervals, value[r]);
    }
  }
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
    if (table_bytes <= cuda::block_shared_bytes())
      run(interval_kernel<true>, table_bytes, args, stream);
    else
      run(interval_kernel<false>, 0, args, stream);
  }

 private:
  IntervalView intervals() const { return {{attributes_.view(), thresholds_.view(), marks_.view()}, classes_.view()}; }

  template <typename Kernel>
  static void run(Kernel kernel, std::size_t shared_bytes, const IntervalArgs& args, const cuda::Stream& stream) {
    const unsigned blocks =
        blocks_that_run(kernel, kThreads, shared_bytes, args.num_records, std::size_t{kThreads} * kRecords);
    cuda::launch("interval", kernel, blocks, kThreads, shared_bytes, stream, args);
  }

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
