// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

/// A packed forest in a GPU's memory, as kernels take it.
struct TreesView {
  const PackedNode* nodes;  ///< [slot]
  View1<const FlatTree> trees;
  PackedBits bits;
  AnswerKind kind;
  Link link;
  const std::int32_t* base;  ///< [output], with kMargin one number.
  const std::int32_t* rows;  ///< [row][output] for kRow.
  std::uint32_t num_outputs;
};

/// Owner of a forest on the GPU.
class GpuTrees {
 public:
  GpuTrees(const EvaluationModel& model, Values values, AttributeNames names);
  TreesView view() const;
  std::size_t num_nodes() const { return nodes_.size(); }

 private:
  cuda::GpuBuffer<PackedNode> nodes_;
  cuda::GpuBuffer<FlatTree> trees_;
  cuda::GpuBuffer<std::int32_t> base_, rows_;
  TreesView facts_{};  // what is not in buffers
};

/// Answers that are one number a tree: the class of a single tree, or margins.
struct OneSum {
  std::int32_t sum;

  FW_HD void begin(const TreesView& forest) { sum = forest.kind == AnswerKind::kMargin ? forest.base[0] : 0; }
  FW_HD void add(const TreesView&, const FlatTree&, std::int32_t answer) { sum += answer; }
  FW_HD std::int32_t finish(const TreesView& forest) const {
    return forest.kind == AnswerKind::kMargin ? static_cast<std::int32_t>(sum > 0) : sum;
  }
};

/// Sums of several outputs, in memory of the caller's: output k at first[k * step].
struct OutputSums {
  std::int32_t* first;
  std::uint32_t step;

  FW_HD std::int32_t& operator[](std::size_t output) const { return first[output * step]; }
  FW_HD void begin(const TreesView& forest) {
    for (std::uint32_t k = 0; k < forest.num_outputs; ++k) (*this)[k] = forest.base[k];
  }
  FW_HD void add(const TreesView& forest, const FlatTree& tree, std::int32_t answer) {
    if (forest.kind == AnswerKind::kVote) {
      (*this)[tree.first_output] += answer;
      return;
    }
    const std::int32_t* row = forest.rows + static_cast<std::size_t>(answer) * forest.num_outputs;
    for (std::uint32_t k = 0; k < forest.num_outputs; ++k) (*this)[k] += row[k];
  }
  FW_HD std::int32_t finish(const TreesView& forest) const {
    return choose_class(forest.link, *this, forest.num_outputs);
  }
};

inline bool has_one_sum(const EvaluationModel& model) {
  return model.flat.kind == AnswerKind::kClass || model.flat.kind == AnswerKind::kMargin;
}

/// Calls `use` with OneSum{} or OutputSums{}, as the model's answers need.
template <typename Use>
void with_sums(const EvaluationModel& model, const Use& use) {
  if (has_one_sum(model))
    use(OneSum{});
  else
    use(OutputSums{});
}

/// Bytes of shared memory that a thread's sums take.
template <typename Sums>
std::size_t sum_bytes(const EvaluationModel& model) {
  return std::is_same_v<Sums, OneSum> ? 0 : model.flat.base.size() * sizeof(std::int32_t);
}

}  // namespace fernwood::records
