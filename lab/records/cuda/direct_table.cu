// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The laboratory's table of strategies of GPUs, and the direct tables of Penha et al.: the value of the only attribute
// that a forest asks stays in a register. A step function is faster for all such forests (gpu-interval).
#include "lab/records/cuda/gpu_strategies.h"
#include "records/cuda/table.cuh"

namespace fernwood::lab {

using namespace records;

namespace {

/// A record's only value, read once.
struct ReadOnce {
  std::uint32_t attribute;

  template <typename Rows>
  __device__ auto values_of(const Rows& rows, std::size_t record) const {
    return [value = rows.value(rows.row(record), attribute)](std::uint32_t) { return value; };
  }
};

std::string direct_obstacle(const EvaluationModel& model, Values values, Device device, TableMemory memory) {
  if (!model.rank_obstacle.empty()) return model.rank_obstacle;
  if (model.ranks.attributes.size() != 1)
    return "it is for forests that ask one attribute, and this one asks " +
           std::to_string(model.ranks.attributes.size());
  return table_obstacle(model, values, device, memory);
}

std::unique_ptr<RecordEvaluator> make_direct(const StrategyRequest& request, TableMemory memory) {
  cuda::use_gpu(request.device.gpu);
  const std::uint32_t attribute =
      request.values == Values::kFloat ? request.model->ranks.attributes[0].attribute : 0;  // ranks: the only column
  return evaluate_on_gpu(request, std::make_unique<Table<ReadOnce>>(request, memory, ReadOnce{attribute}));
}

template <TableMemory kMemory>
Strategy direct(const char* name, const char* summary) {
  return {{.name = name, .summary = summary, .on_gpu = true, .has_ranks = true},
          [](const EvaluationModel& model, Values values, Device device) {
            return direct_obstacle(model, values, device, kMemory);
          },
          [](const StrategyRequest& request) { return make_direct(request, kMemory); }};
}

template <int kReductions>
Strategy speculative(const char* name, const char* summary) {
  return {{.name = name, .summary = summary, .on_gpu = true, .has_ranks = true},
          speculative_obstacle,
          [](const StrategyRequest& request) { return make_speculative(request, kReductions); }};
}

}  // namespace

std::vector<Strategy> gpu_strategies() {
  return {
      direct<TableMemory::kShared>("table-shared-direct", "forests that ask one attribute, held in a register"),
      direct<TableMemory::kReadOnly>("table-read-only-direct", "the same, nodes through the read-only path"),
      direct<TableMemory::kConstant>("table-constant-direct", "the same, nodes in constant memory"),
      direct<TableMemory::kGlobal>("table-global-direct", "the same, nodes in global memory"),
      {{.name = "windowed",
        .summary = "a lane per test of five levels, window by window",
        .on_gpu = true,
        .has_ranks = true},
       windowed_obstacle,
       make_windowed},
      // Spencer found two reductions between barriers to be best.
      speculative<2>("speculative", "a thread per test of a tree (Procedure 5)"),
      speculative<1>("speculative-1", "the same, one path reduction between two barriers"),
      speculative<3>("speculative-3", "the same, three path reductions"),
      speculative<4>("speculative-4", "the same, four path reductions"),
      {{.name = "speculative-all",
        .summary = "a thread per node of a tree (Procedure 4)",
        .on_gpu = true,
        .has_ranks = true},
       speculative_all_obstacle,
       make_speculative_all},
  };
}

}  // namespace fernwood::lab
