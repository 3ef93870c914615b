// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "core/cuda/launch.cuh"
#include "records/cuda/gpu_forest.cuh"

namespace fernwood::records {

GpuTrees::GpuTrees(const EvaluationModel& model, Values values, AttributeNames names) {
  const PackedForest packed = pack(model, values, names);
  const FlatForest& flat = model.flat;
  const std::vector<std::int32_t> rows(flat.rows.begin(), flat.rows.end());
  const cuda::Stream stream;
  cuda::upload(packed.nodes, nodes_, stream);
  cuda::upload(flat.trees, trees_, stream);
  cuda::upload(flat.base, base_, stream);
  cuda::upload(rows, rows_, stream);
  facts_.bits = packed.bits;
  facts_.kind = flat.kind;
  facts_.link = flat.link;
  facts_.num_outputs =
      static_cast<std::uint32_t>(flat.kind == LeafOutput::kLeaf ? model.forest.num_outputs() : flat.base.size());
  facts_.margin = flat.margin;
  facts_.wanted = model.wanted;
  cuda::upload(flat.doubles, doubles_, stream);
  cuda::upload(flat.floats, floats_, stream);
  cuda::upload(flat.float_sums.base, float_base_, stream);
  cuda::upload(flat.float_sums.bias, bias_, stream);
  facts_.divisor = flat.float_sums.divisor;
  facts_.scale = flat.float_sums.scale;
  facts_.is_single = flat.float_sums.is_single;
}

TreesView GpuTrees::view(const Found& found) const {
  TreesView view = facts_;
  view.found = found;
  view.doubles = doubles_.data();
  view.floats = floats_.data();
  view.float_base = float_base_.data();
  view.bias = bias_.size() > 0 ? bias_.data() : nullptr;
  view.nodes = nodes_.data();
  view.trees = trees_.view();
  view.base = base_.data();
  view.rows = rows_.data();
  return view;
}

// Values to ranks. One thread for each record, one row of the grid for each tested attribute.

namespace {

constexpr unsigned kThreads = 256;

__global__ void rank_kernel(RecordView records, RankView ranks, std::uint16_t* held) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= records.num_records) return;
  for (std::size_t slot = blockIdx.y; slot < ranks.attributes.size; slot += gridDim.y) {
    const RankedAttribute& attribute = ranks.attributes[slot];
    held[slot * records.num_records + i] =
        static_cast<std::uint16_t>(rank_or_nan(ranks, attribute, records.at(i, attribute.attribute)));
  }
}

}  // namespace

RowHolder::RowHolder(const EvaluationModel& model) {
  const cuda::Stream stream;
  cuda::upload(model.ranks.attributes, attributes_, stream);
  cuda::upload(model.ranks.thresholds, thresholds_, stream);
  cuda::upload(model.ranks.marks, marks_, stream);
}

void RowHolder::hold(const RecordView& records, HeldRows<float>& rows, const cuda::Stream&) {
  rows = {records.data, records.record_step, records.attribute_step, records.num_records};
}

void RowHolder::hold(const RecordView& records, HeldRows<std::uint16_t>& rows, const cuda::Stream& stream) {
  held_.resize(attributes_.size() * records.num_records);
  const dim3 grid(cuda::blocks_for(records.num_records, kThreads),
                  std::min<unsigned>(65535, static_cast<unsigned>(attributes_.size())));
  cuda::launch("ranks", rank_kernel, grid, kThreads, 0, stream, records, ranks(), held_.data());
  rows = {held_.data(), 1, records.num_records, records.num_records};
}

}  // namespace fernwood::records
