// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/gpu_strategies.h"

#include "records/cuda/table.h"
#include "records/evaluate/interval_table.h"
#include "records/evaluate/speculation.h"

namespace fernwood::records {

namespace {

template <TableMemory kMemory, bool kDirect>
Strategy table(const char* name, const char* summary) {
  return {{.name = name, .summary = summary, .on_gpu = true, .has_ranks = true},
          [](const EvaluationModel& model, Values values, Device device) {
            return table_obstacle(model, values, device, kMemory, kDirect);
          },
          [](const StrategyRequest& request) { return make_table(request, kMemory, kDirect); }};
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
      table<TableMemory::kReadOnly, false>("table-read-only",
                                           "a thread per record, nodes through the read-only path (Procedure 3)"),
      table<TableMemory::kShared, false>("table-shared", "the same, nodes in shared memory"),
      table<TableMemory::kConstant, false>("table-constant", "the same, nodes in constant memory"),
      {info("packed", "four records a thread, one load for two siblings"), gpu_packed_obstacle, make_packed},
      {info("speculative-warp", "a lane per test of a tree, paths by shuffles"), speculative_warp_obstacle,
       make_speculative_warp},
      table<TableMemory::kGlobal, false>("table-global", "a thread per record, nodes in global memory"),
      table<TableMemory::kShared, true>("table-shared-direct", "forests that ask one attribute, held in a register"),
      table<TableMemory::kReadOnly, true>("table-read-only-direct", "the same, nodes through the read-only path"),
      table<TableMemory::kConstant, true>("table-constant-direct", "the same, nodes in constant memory"),
      table<TableMemory::kGlobal, true>("table-global-direct", "the same, nodes in global memory"),
      {{.name = "gpu-if-else",
        .summary = "the forest as a kernel with an if for each test (Penha et al.)",
        .on_gpu = true,
        .compiles = true},
       gpu_if_else_obstacle,
       make_gpu_if_else},
      {{.name = "gpu-no-if",
        .summary = "the forest as a kernel without branches (Penha et al.)",
        .on_gpu = true,
        .compiles = true},
       gpu_no_if_obstacle,
       make_gpu_no_if},
      {info("windowed", "a lane per test of five levels, window by window"), windowed_obstacle, make_windowed},
      {info("speculative", "a thread per test of a tree (Procedure 5)"), speculative_obstacle, make_speculative,
       speculation_no_use},
      {info("speculative-all", "a thread per node of a tree (Procedure 4)"), speculative_all_obstacle,
       make_speculative_all, speculation_no_use},
  };
}

}  // namespace fernwood::records
