// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The laboratory's strategies for GPUs, and tables of nodes in other memories than the library's, or with the records'
// value in a register (the direct tables of Penha et al.). Reading global memory without the read-only path, or
// constant memory, is never faster than table-read-only; for forests that test one attribute, a step function
// (gpu-interval) is.
#include <algorithm>

#include "lab/records/cuda/gpu_strategies.h"
#include "records/cuda/table.cuh"

namespace fernwood::lab {

using namespace records;

namespace {

/// Nodes in global memory, through the first-level cache.
struct GlobalNodes {
  const uint2* nodes;

  static FW_HD std::size_t shared_bytes(std::size_t) { return 0; }
  static GlobalNodes of(const EvaluationModel&, Values, const GpuTrees& trees) {
    return {reinterpret_cast<const uint2*>(trees.view().nodes)};
  }
  __device__ const GlobalNodes& bring(std::uint32_t) const { return *this; }
  __device__ PackedRecordNode operator[](std::uint32_t slot) const {
    const uint2 node = __ldca(nodes + slot);
    return {node.x, node.y};
  }
};

/// Nodes in constant memory, passed as a kernel parameter, so that evaluators do not share them.
template <std::size_t kSize>
struct ConstantNodes {
  PackedRecordNode nodes[kSize];

  static FW_HD std::size_t shared_bytes(std::size_t) { return 0; }
  static ConstantNodes of(const EvaluationModel& model, Values values, const GpuTrees&) {
    ConstantNodes constant{};
    std::ranges::copy(pack(model, values, AttributeNames::kRecord).nodes, constant.nodes);
    return constant;
  }
  __device__ const PackedRecordNode* bring(std::uint32_t) const { return nodes; }
};
// Toolkits before 12.1 limit kernel parameters to 4 KB.
constexpr std::size_t kFewConstantNodes = 448;
constexpr std::size_t kMaxConstantNodes = CUDART_VERSION >= 12010 ? 3968 : kFewConstantNodes;

OptionSentence constant_unsupported(const EvaluationModel& model, Values values, Device device) {
  const std::size_t num_nodes = model.flat.nodes.size();
  if (num_nodes > kMaxConstantNodes)
    return "its " + std::to_string(num_nodes) + " nodes exceed the " + std::to_string(kMaxConstantNodes) +
           " that fit into constant memory";
  return table_unsupported<ConstantNodes<kMaxConstantNodes>>(model, values, device);
}

template <typename Read>
std::unique_ptr<RecordEvaluator> make_constant_table(const StrategyRequest& request) {
  return request.model->flat.nodes.size() <= kFewConstantNodes
             ? make_table<ConstantNodes<kFewConstantNodes>, Read>(request)
             : make_table<ConstantNodes<kMaxConstantNodes>, Read>(request);
}

/// A record's only value, read once.
struct ReadOnce {
  std::uint32_t attribute;

  static ReadOnce of(const EvaluationModel& model, Values values) {
    return {values == Values::kFloat ? model.ranks.attributes[0].attribute : 0};  // with ranks: the only column
  }
  template <typename Rows>
  __device__ auto values_of(const Rows& rows, std::size_t record) const {
    return [value = rows.value(rows.row(record), attribute)](std::uint32_t) { return value; };
  }
};

template <auto kTableUnsupported>
OptionSentence direct_unsupported(const EvaluationModel& model, Values values, Device device) {
  const OptionSentence unsupported_reason = interval_unsupported(model, values, device);
  return unsupported_reason.empty() ? kTableUnsupported(model, values, device) : unsupported_reason;
}

// Spencer found two reductions between barriers to be fastest.
template <int kReductions>
std::unique_ptr<RecordEvaluator> make_speculative_by(const StrategyRequest& request) {
  return make_speculative(request, kReductions);
}

}  // namespace

std::vector<Strategy> gpu_strategies() {
  return {
      // name, on a GPU, has ranks, unsupported_reason, maker
      {"packed", true, true, packed_strategy_unsupported, make_packed},
      {"staged", true, true, staged_unsupported, make_staged},
      {"table-constant", true, true, constant_unsupported, make_constant_table<ReadEach>},
      {"table-global", true, true, table_unsupported<GlobalNodes>, make_table<GlobalNodes, ReadEach>},
      {"table-shared-direct", true, true, direct_unsupported<table_unsupported<SharedNodes>>,
       make_table<SharedNodes, ReadOnce>},
      {"table-read-only-direct", true, true, direct_unsupported<table_unsupported<ReadOnlyNodes>>,
       make_table<ReadOnlyNodes, ReadOnce>},
      {"table-constant-direct", true, true, direct_unsupported<constant_unsupported>, make_constant_table<ReadOnce>},
      {"table-global-direct", true, true, direct_unsupported<table_unsupported<GlobalNodes>>,
       make_table<GlobalNodes, ReadOnce>},
      {"windowed", true, true, windowed_unsupported, make_windowed},
      {"speculative", true, true, speculative_unsupported, make_speculative_by<2>},
      {"speculative-1", true, true, speculative_unsupported, make_speculative_by<1>},
      {"speculative-3", true, true, speculative_unsupported, make_speculative_by<3>},
      {"speculative-4", true, true, speculative_unsupported, make_speculative_by<4>},
      {"speculative-all", true, true, speculative_all_unsupported, make_speculative_all},
  };
}

std::shared_ptr<void> pinned_memory(Device device, std::size_t size_bytes) {
  cuda::use_gpu(device.gpu);
  return {cuda::allocate(cuda::Place::kPinnedHost, size_bytes),
          [](void* memory) { cuda::release(cuda::Place::kPinnedHost, memory); }};
}

}  // namespace fernwood::lab
