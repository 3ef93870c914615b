// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/gpu_strategy.h"

#include "records/cuda/table.cuh"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

namespace {

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
      {info("table-read-only", "a thread per record, nodes through the read-only path (Procedure 3)"),
       table_obstacle<ReadOnlyNodes>, make_table<ReadOnlyNodes, ReadEach>},
      {info("table-shared", "the same, nodes in shared memory"), table_obstacle<SharedNodes>,
       make_table<SharedNodes, ReadEach>},
      {info("speculative-warp", "a lane per test of a tree, paths by shuffles"), speculative_warp_obstacle,
       make_speculative_warp},
  };
}

}  // namespace fernwood::records
