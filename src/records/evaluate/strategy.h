// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// What a strategy is made for.
struct StrategyRequest {
  SharedModel model;
  std::string strategy;
  Values values = Values::kFloat;
  Device device;
  int threads = 0;
  int reductions = 2;
};

/// "packed, ranks, on cuda:0"
std::string describe_request(const StrategyRequest& request);

/// A way to evaluate forests: a row of the table in strategies.cpp.
struct Strategy {
  StrategyInfo info;
  /// Why it cannot evaluate this model, as the rest of a sentence; empty when it can. Asked only for values that `info`
  /// allows and forms of the model that exist.
  std::string (*obstacle)(const EvaluationModel& model, Values values, Device device);
  std::unique_ptr<RecordEvaluator> (*make)(const StrategyRequest& request);
  /// Why it cannot be the fastest for this model, though it can evaluate it, as the rest of a sentence; empty when it
  /// may be. Null: it always may.
  std::string (*no_use)(const EvaluationModel& model) = nullptr;
};

/// A strategy of the CPU: classes of one block of records by one thread.
class CpuStrategy {
 public:
  virtual ~CpuStrategy() = default;
  /// Records that it likes to get at once.
  virtual std::size_t block_size() const { return 1024; }
  /// @param worker  Below the number of threads: index of scratch memory.
  virtual void classify(const RecordView& block, std::int32_t* classes, int worker) = 0;
};

/// Runs a strategy of the CPU over blocks, on threads.
std::unique_ptr<RecordEvaluator> evaluate_on_cpu(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy,
                                                 std::shared_ptr<ThreadPool> pool);

/// @throws Error(kData) when records are of another kind than the model's.
void check_attributes(const RecordView& records, std::size_t num_attributes);

/// @throws Error(kUsage) when records are kept elsewhere.
void check_kept(const KeptRecords& records, Device device);
/// keep_records() and host_memory() of a GPU.
KeptRecords keep_on_gpu(Device device, const RecordView& records);
std::shared_ptr<void> pinned_memory(Device device, std::size_t size_bytes);

/// The strategies of GPUs; none in a build without CUDA.
std::vector<Strategy> gpu_strategies();
/// The strategies of this build, those of the CPU first, then, if it has CUDA, those of GPUs.
const std::vector<Strategy>& strategy_table();
/// @throws Error(kUsage) naming what there is.
const Strategy& find_strategy(const std::string& name);
/// strategy_obstacle() of a model that is at hand.
std::string obstacle_of(const Strategy& strategy, const EvaluationModel& model, Values values, Device device);
/// @throws Error(kUsage) with the obstacle.
std::unique_ptr<RecordEvaluator> make_evaluator(const StrategyRequest& request);

}  // namespace fernwood::records
