// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/gpu_strategy.h"

#include "records/cuda/table.cuh"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

std::vector<Strategy> gpu_strategies() {
  // The likely winners first, since the tuner may run out of time.
  return {
      // name, on a GPU, has ranks, unsupported_reason, maker
      {"gpu-interval", true, false, interval_unsupported, make_gpu_interval},
      {"heap-order", true, true, heap_ordered_unsupported, make_heap_ordered},
      {"table-read-only", true, true, table_unsupported<ReadOnlyNodes>, make_table<ReadOnlyNodes, ReadEach>},
      {"table-shared", true, true, table_unsupported<SharedNodes>, make_table<SharedNodes, ReadEach>},
      {"speculative-warp", true, true, speculative_warp_unsupported, make_speculative_warp},
  };
}

}  // namespace fernwood::records
