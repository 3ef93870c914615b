// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

/// A strategy of GPUs: computes the requested output for records in the GPU's memory, in the order of a stream.
class GpuStrategy {
 public:
  virtual ~GpuStrategy() = default;
  /// @param found  On the GPU, written.
  virtual void evaluate(const RecordView& records, const Found& found, const cuda::Stream& stream) = 0;
};

/// Copies records into `gpu` and returns a view of them there, stored as before: by rows or by columns.
RecordView bring(const RecordView& records, cuda::GpuBuffer<float>& gpu, const cuda::Stream& stream);

/// Wraps a strategy with copies of records to the GPU and of classes back.
std::unique_ptr<RecordEvaluator> evaluate_on_gpu(const StrategyRequest& request, std::unique_ptr<GpuStrategy> strategy);

// The strategies of GPUs listed in gpu_strategies.cu.

std::unique_ptr<RecordEvaluator> make_gpu_interval(const StrategyRequest& request);

OptionSentence heap_ordered_unsupported(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_heap_ordered(const StrategyRequest& request);

/// Has a lane for each test of one tree.
OptionSentence speculative_warp_unsupported(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_speculative_warp(const StrategyRequest& request);

}  // namespace fernwood::records
