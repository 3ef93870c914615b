// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/gpu_trees.h"

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
  facts_.num_outputs = static_cast<std::uint32_t>(flat.base.size());
}

TreesView GpuTrees::view() const {
  TreesView view = facts_;
  view.nodes = nodes_.data();
  view.trees = trees_.view();
  view.base = base_.data();
  view.rows = rows_.data();
  return view;
}

}  // namespace fernwood::records
