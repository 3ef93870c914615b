// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the kernels over records share: trees and records in a GPU's memory, a thread's sums, grids and walks.

#include <algorithm>
#include <string>

#include "core/cuda/buffer.h"
#include "core/cuda/launch.cuh"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

/// A packed forest in a GPU's memory, as kernels take it.
struct TreesView {
  const PackedRecordNode* nodes;  ///< [slot]
  View1<const FlatTree> trees;
  PackedBits bits;
  LeafOutput kind;
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
  cuda::GpuBuffer<PackedRecordNode> nodes_;
  cuda::GpuBuffer<FlatTree> trees_;
  cuda::GpuBuffer<std::int32_t> base_, rows_;
  TreesView facts_{};  // what is not in buffers
};

/// Answers that are one number a tree: the class of a single tree, or margins.
struct OneSum {
  std::int32_t sum;

  FW_HD void begin(const TreesView& forest) { sum = forest.kind == LeafOutput::kMargin ? forest.base[0] : 0; }
  FW_HD void add(const TreesView&, const FlatTree&, std::int32_t answer) { sum += answer; }
  FW_HD std::int32_t finish(const TreesView& forest) const {
    return forest.kind == LeafOutput::kMargin ? static_cast<std::int32_t>(sum > 0) : sum;
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
    if (forest.kind == LeafOutput::kVote) {
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
  return model.flat.kind == LeafOutput::kClass || model.flat.kind == LeafOutput::kMargin;
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

/// Records as kernels read them: floats as they came, or ranks.
template <typename Value>
struct HeldRows {
  const Value* data;
  std::size_t record_step, attribute_step;
  std::size_t num_records;

  FW_HD const Value* row(std::size_t record) const { return data + record * record_step; }
  /// @param row  Of row(). @param attribute  As tests name it.
  FW_HD Value value(const Value* row, std::uint32_t attribute) const { return row[attribute * attribute_step]; }
};

/// Records in the form that tests of a model want them.
class RowHolder {
 public:
  explicit RowHolder(const EvaluationModel& model);

  /// @param records  On the GPU.
  void hold(const RecordView& records, HeldRows<float>& rows, const cuda::Stream& stream);
  /// Values become ranks, by columns, a column for each attribute that tests ask.
  void hold(const RecordView& records, HeldRows<std::uint16_t>& rows, const cuda::Stream& stream);

  RankView ranks() const { return {attributes_.view(), thresholds_.view(), marks_.view()}; }

 private:
  cuda::GpuBuffer<RankedAttribute> attributes_;
  cuda::GpuBuffer<float> thresholds_;
  cuda::GpuBuffer<std::uint32_t> marks_;
  cuda::GpuBuffer<std::uint16_t> held_;
};

/// Calls `use` with the way in which a model's values are held: FloatsNanRight{}, FloatsNanEither{} or Ranks16{}.
template <typename Use>
void with_held(const EvaluationModel& model, Values values, const Use& use) {
  if (values == Values::kRanks)
    use(Ranks16{});
  else if (model.flat.nan_side == NanSide::kRight)
    use(FloatsNanRight{});
  else
    use(FloatsNanEither{});
}

// What the kernels over records share: grids, shared memory and a thread's sums in it.

constexpr std::size_t kFreeSharedBytes = 48u << 10;  // what blocks get without asking

/// Why blocks cannot have so much shared memory, as the rest of a sentence; empty when they can.
inline std::string shared_memory_obstacle(std::size_t size_bytes) {
  if (size_bytes <= cuda::block_shared_bytes()) return "";
  return "it needs " + std::to_string(size_bytes) + " bytes of shared memory in a block, and this GPU has " +
         std::to_string(cuda::block_shared_bytes());
}

/// As many blocks as run at once, or fewer when there are not enough records: each walks many records, so that what it
/// brings into shared memory pays.
template <typename Kernel>
unsigned blocks_that_run(Kernel kernel, unsigned threads, std::size_t shared_bytes, std::size_t num_records,
                         std::size_t records_per_block) {
  // All that there is: what is allowed holds for the kernel, which other threads may be about to launch with more.
  if (shared_bytes > kFreeSharedBytes) cuda::allow_shared_memory(kernel, cuda::block_shared_bytes());
  int per_multiprocessor = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, static_cast<int>(threads),
                                                            shared_bytes),
              "asking for occupancy");
  const unsigned at_once = cuda::num_multiprocessors() * static_cast<unsigned>(std::max(1, per_multiprocessor));
  return std::min(at_once, cuda::blocks_for(num_records, records_per_block));
}

#if defined(__CUDACC__)
extern __shared__ uint4 block_memory[];

/// The sums of one of a thread's records, behind `skip_bytes` of the block's shared memory.
template <typename Sums>
__device__ Sums sums_in_block(std::size_t skip_bytes, std::uint32_t place, std::uint32_t num_places) {
  if constexpr (std::is_same_v<Sums, OneSum>)
    return OneSum{};
  else
    return OutputSums{reinterpret_cast<std::int32_t*>(reinterpret_cast<char*>(block_memory) + skip_bytes) + place,
                      num_places};
}
#endif

}  // namespace fernwood::records
