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

/// Brings records to the GPU and classes back around a strategy.
std::unique_ptr<RecordEvaluator> evaluate_on_gpu(const StrategyRequest& request, std::unique_ptr<GpuStrategy> strategy);

}  // namespace fernwood::records
