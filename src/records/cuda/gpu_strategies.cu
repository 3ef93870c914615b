// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/gpu_strategy.h"

#include "records/cuda/table.cuh"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

std::string table_obstacle(const EvaluationModel& model, Values values, Device device, TableMemory memory) {
  const std::string obstacle = packed_obstacle(model, values);
  if (!obstacle.empty()) return obstacle;
  const std::size_t num_nodes = model.flat.nodes.size();
  if (memory == TableMemory::kConstant && num_nodes > kMostConstantNodes)
    return "its " + std::to_string(num_nodes) + " nodes exceed the " + std::to_string(kMostConstantNodes) +
           " that fit into constant memory";
  cuda::use_gpu(device.gpu);
  const std::size_t node_bytes = memory == TableMemory::kShared ? num_nodes * sizeof(PackedNode) : 0;
  return shared_memory_obstacle(node_bytes +
                                (has_one_sum(model) ? 0 : kTableThreadsWithSums * sum_bytes<OutputSums>(model)));
}

std::unique_ptr<RecordEvaluator> make_table(const StrategyRequest& request, TableMemory memory) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Table<ReadEach>>(request, memory, ReadEach{}));
}

namespace {

template <TableMemory kMemory>
Strategy table(const char* name, const char* summary) {
  return {{.name = name, .summary = summary, .on_gpu = true, .has_ranks = true},
          [](const EvaluationModel& model, Values values, Device device) {
            return table_obstacle(model, values, device, kMemory);
          },
          [](const StrategyRequest& request) { return make_table(request, kMemory); }};
}

StrategyInfo info(const char* name, const char* summary) {
  return {.name = name, .summary = summary, .on_gpu = true, .has_ranks = true};
}

}  // namespace

std::vector<Strategy> gpu_strategies() {
  // The likely winners first, since the tuner's time may end.
  return {
      {{.name = "gpu-interval", .summary = "forests that ask one attribute: a step function of it", .on_gpu = true},
       interval_obstacle,
       make_gpu_interval},
      {info("heaped", "values and perfect trees in shared memory, for forests of shallow trees"), heaped_obstacle,
       make_heaped},
      {info("staged", "values and passing trees in shared memory, for forests"), staged_obstacle, make_staged},
      table<TableMemory::kReadOnly>("table-read-only",
                                    "a thread per record, nodes through the read-only path (Procedure 3)"),
      table<TableMemory::kShared>("table-shared", "the same, nodes in shared memory"),
      table<TableMemory::kConstant>("table-constant", "the same, nodes in constant memory"),
      {info("packed", "four records a thread, one load for two siblings"), gpu_packed_obstacle, make_packed},
      {info("speculative-warp", "a lane per test of a tree, paths by shuffles"), speculative_warp_obstacle,
       make_speculative_warp},
      table<TableMemory::kGlobal>("table-global", "a thread per record, nodes in global memory"),
  };
}

}  // namespace fernwood::records
