// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

/// A strategy of GPUs: classes of records that lie in the GPU's memory, in the order of a stream.
class GpuStrategy {
 public:
  virtual ~GpuStrategy() = default;
  /// @param classes  [records], written.
  virtual void classify(const RecordView& records, std::int32_t* classes, const cuda::Stream& stream) = 0;
};

/// Copies records into `gpu` and gives the view of them there, stored as they were: by rows or by columns.
inline RecordView bring(const RecordView& records, cuda::GpuBuffer<float>& gpu, const cuda::Stream& stream) {
  gpu.resize(records.num_records * records.num_attributes);
  const bool by_rows = records.attribute_step == 1;
  const std::size_t width = by_rows ? records.num_attributes : records.num_records;  // floats side by side
  const std::size_t height = by_rows ? records.num_records : records.num_attributes;
  const std::size_t step = by_rows ? records.record_step : records.attribute_step;
  if (step == width)
    cuda::copy_to_gpu(records.data, width * height, gpu.data(), stream);
  else if (width * height > 0)
    cuda::check(cudaMemcpy2DAsync(gpu.data(), width * sizeof(float), records.data, step * sizeof(float),
                                  width * sizeof(float), height, cudaMemcpyHostToDevice, stream),
                "copying records to the GPU");
  return by_rows ? records_by_rows(gpu.data(), records.num_records, records.num_attributes)
                 : records_by_columns(gpu.data(), records.num_records, records.num_attributes);
}

/// Brings records to the GPU and classes back around a strategy.
std::unique_ptr<RecordEvaluator> evaluate_on_gpu(const StrategyRequest& request, std::unique_ptr<GpuStrategy> strategy);

// What each strategy of GPUs brings to the table in gpu_strategies.cu.

std::unique_ptr<RecordEvaluator> make_gpu_interval(const StrategyRequest& request);

std::string heaped_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_heaped(const StrategyRequest& request);

/// A lane for each test of one tree.
std::string speculative_warp_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_speculative_warp(const StrategyRequest& request);

}  // namespace fernwood::records
