// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Evaluates forests with tests on one attribute as step functions: threads look up intervals in shared memory.
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

namespace {

constexpr unsigned kThreads = 512;

struct IntervalArgs {
  IntervalView intervals;
  const float* values;  // [record * step]
  std::size_t step, num_records;
  std::int32_t* classes;
};

/// Position of item i of a table, chosen so that accesses at regular distances, as for a ramp of values, have as few
/// bank conflicts as random ones.
__device__ std::uint32_t scattered(std::uint32_t i) { return i ^ (i >> 5 & 31u); }
/// Number of elements of a scattered table.
__host__ __device__ std::size_t scattered_size(std::size_t size) { return (size + 31) / 32 * 32; }

/// The intervals in a block's shared memory; same members as IntervalView.
struct SharedIntervals {
  RankedAttribute only;
  const std::uint32_t* marks;  // first threshold of a bucket in the lower half, the end in the upper
  const float* thresholds;
  const std::int32_t* classes;

  __device__ const RankedAttribute& attribute() const { return only; }
  __device__ std::uint32_t rank(float value) const {
    return rank_among(
        only,
        [&](std::uint32_t bucket) {
          const std::uint32_t both = marks[scattered(bucket)];
          return BucketMarks{both & 0xffffu, both >> 16};
        },
        [&](std::uint32_t i) { return thresholds[scattered(i)]; }, value);
  }
  __device__ std::int32_t class_at(std::uint32_t interval) const { return classes[scattered(interval)]; }
};

std::size_t shared_bytes_of(std::size_t num_thresholds, std::size_t num_buckets, std::size_t num_classes) {
  return 4 * (scattered_size(num_thresholds) + scattered_size(num_buckets) + scattered_size(num_classes));
}

__device__ SharedIntervals bring(const IntervalView& from) {
  const RankedAttribute only = from.attribute();
  auto* marks = reinterpret_cast<std::uint32_t*>(block_memory);
  auto* thresholds = reinterpret_cast<float*>(marks + scattered_size(only.num_buckets));
  auto* classes = reinterpret_cast<std::int32_t*>(thresholds + scattered_size(only.count));
  for (std::uint32_t i = threadIdx.x; i < only.num_buckets; i += kThreads)
    marks[scattered(i)] = from.ranks.marks[i] | from.ranks.marks[i + 1] << 16;
  for (std::uint32_t i = threadIdx.x; i < only.count; i += kThreads)
    thresholds[scattered(i)] = from.ranks.thresholds[i];
  for (std::uint32_t i = threadIdx.x; i < from.classes.size; i += kThreads) classes[scattered(i)] = from.classes[i];
  __syncthreads();
  return {only, marks, thresholds, classes};
}

/// @tparam kFours  Values are adjacent and start on a boundary of 16 bytes, so that four are loaded at once.
template <bool kFours, typename Intervals>
__device__ void classify_values(const IntervalArgs& a, const Intervals& intervals) {
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  const std::size_t thread = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::size_t in_fours = kFours ? a.num_records / 4 : 0;
  if constexpr (kFours)
    for (std::size_t i = thread; i < in_fours; i += stride) {
      const float4 value = __ldcs(reinterpret_cast<const float4*>(a.values) + i);
      __stcs(reinterpret_cast<int4*>(a.classes) + i,
             make_int4(class_of_value(intervals, value.x), class_of_value(intervals, value.y),
                       class_of_value(intervals, value.z), class_of_value(intervals, value.w)));
    }
  for (std::size_t i = 4 * in_fours + thread; i < a.num_records; i += stride)
    a.classes[i] = class_of_value(intervals, a.values[i * a.step]);
}

template <bool kShared, bool kFours>
__global__ void __launch_bounds__(kThreads) interval_kernel(IntervalArgs a) {
  if constexpr (kShared)
    classify_values<kFours>(a, bring(a.intervals));
  else
    classify_values<kFours>(a, a.intervals);
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
  }

  void evaluate(const RecordView& records, const Found& found, const cuda::Stream& stream) override {
    const IntervalArgs args = {intervals(), records.data + attribute_ * records.attribute_step, records.record_step,
                               records.num_records, found.numbers};
    const std::size_t table_bytes = shared_bytes_of(thresholds_.size(), marks_.size() - 1, classes_.size());
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

}  // namespace fernwood::records
