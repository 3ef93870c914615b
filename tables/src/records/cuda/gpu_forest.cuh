// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Code that the kernels over records share: trees and records in a GPU's memory, the sums of a thread, grids and walks.

#include <algorithm>
#include <string>

#include "core/cuda/buffer.h"
#include "core/cuda/launch.cuh"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

/// A packed forest in a GPU's memory, as an argument of kernels.
struct TreesView {
  const PackedRecordNode* nodes;  ///< [slot]
  View1<const FlatTree> trees;
  PackedBits bits;
  LeafOutput kind;
  Link link;
  const std::int32_t* base;  ///< [output]; with kMargin a single number.
  const std::int32_t* rows;  ///< [row][output], for kRow.
  std::uint32_t num_outputs;
  std::uint32_t margin;  ///< Argument of choose_class_surely().

  RequestedOutput wanted;
  Found found;  ///< Output for all records.

  // For values, see FlatForest.
  const double *doubles, *float_base, *bias;  ///< Shape as in FlatForest; [output]; [output] or null.
  const float* floats;
  double divisor, scale;
  bool is_single;
};

/// Owner of a forest on the GPU.
class GpuTrees {
 public:
  GpuTrees(const EvaluationModel& model, Values values, AttributeNames names);
  /// @param found  Output for all records.
  TreesView view(const Found& found = {}) const;
  std::size_t num_nodes() const { return nodes_.size(); }

 private:
  cuda::GpuBuffer<PackedRecordNode> nodes_;
  cuda::GpuBuffer<FlatTree> trees_;
  cuda::GpuBuffer<std::int32_t> base_, rows_;
  cuda::GpuBuffer<double> doubles_, float_base_, bias_;
  cuda::GpuBuffer<float> floats_;
  TreesView facts_{};  // members that do not point to buffers
};

// Accumulators for the answers of trees to one record after another in a thread. Each has begin() for a record, adds
// answers, and stores the result.

/// For answers that are one number for each tree: the class of a single tree, or margins.
struct OneSum {
  std::size_t record;
  std::int32_t sum;

  FW_HD void begin(const TreesView& forest, std::size_t of_record) {
    record = of_record;
    sum = forest.kind == LeafOutput::kMargin ? forest.base[0] : 0;
  }
  FW_HD void add(const TreesView&, std::uint32_t, std::int32_t answer) { sum += answer; }
  FW_HD void store(const TreesView& forest) const {
    forest.found.numbers[record] =
        forest.kind == LeafOutput::kMargin ? choose_class_surely(Link::kLogistic, &sum, 1, forest.margin) : sum;
  }
};

/// Sums of several outputs, in the caller's memory: output k at first[k * step].
struct OutputSums {
  using Element = std::int32_t;
  std::int32_t* first;
  std::uint32_t step;
  std::size_t record;

  FW_HD std::int32_t& operator[](std::size_t output) const { return first[output * step]; }
  FW_HD void begin(const TreesView& forest, std::size_t of_record) {
    record = of_record;
    for (std::uint32_t k = 0; k < forest.num_outputs; ++k) (*this)[k] = forest.base[k];
  }
  FW_HD void add(const TreesView& forest, std::uint32_t tree, std::int32_t answer) {
    if (forest.kind == LeafOutput::kVote) {
      (*this)[forest.trees[tree].first_output] += answer;
      return;
    }
    const std::int32_t* row = forest.rows + static_cast<std::size_t>(answer) * forest.num_outputs;
    for (std::uint32_t k = 0; k < forest.num_outputs; ++k) (*this)[k] += row[k];
  }
  FW_HD void store(const TreesView& forest) const {
    forest.found.numbers[record] = choose_class_surely(forest.link, *this, forest.num_outputs, forest.margin);
  }
};

/// A floating-point sum plus the value of a leaf, rounded as in the library.
FW_HD double add_value(const TreesView& forest, double sum, std::size_t value) {
  return forest.is_single ? static_cast<double>(static_cast<float>(sum) + forest.floats[value])
                          : sum + forest.doubles[value];
}
FW_HD double finish_value(const TreesView& forest, double sum, std::uint32_t output) {
  if (!forest.is_single)
    return finish_sum(sum, forest.divisor, forest.scale, forest.bias ? forest.bias + output : nullptr);
  const float bias = forest.bias ? static_cast<float>(forest.bias[output]) : 0.0f;
  return finish_sum(static_cast<float>(sum), static_cast<float>(forest.divisor), static_cast<float>(forest.scale),
                    forest.bias ? &bias : nullptr);
}

/// The floating-point sum of a forest with one output, or the requested leaves.
struct OneValue {
  std::size_t record;
  double sum;

  FW_HD void begin(const TreesView& forest, std::size_t of_record) {
    record = of_record;
    sum = forest.wanted == RequestedOutput::kLeaves ? 0 : forest.float_base[0];
  }
  FW_HD void add(const TreesView& forest, std::uint32_t tree, std::int32_t leaf) {
    if (forest.wanted == RequestedOutput::kLeaves)
      forest.found.numbers[record * forest.trees.size + tree] = leaf;
    else
      sum = add_value(forest, sum, forest.trees[tree].first_value + static_cast<std::size_t>(leaf));
  }
  FW_HD void store(const TreesView& forest) const {
    if (forest.wanted != RequestedOutput::kLeaves) forest.found.values[record] = finish_value(forest, sum, 0);
  }
};

/// Floating-point sums of several outputs, in the caller's memory, as in OutputSums.
struct OutputValues {
  using Element = double;
  double* first;
  std::uint32_t step;
  std::size_t record;

  FW_HD void begin(const TreesView& forest, std::size_t of_record) {
    record = of_record;
    for (std::uint32_t k = 0; k < forest.num_outputs; ++k) first[k * step] = forest.float_base[k];
  }
  FW_HD void add(const TreesView& forest, std::uint32_t tree, std::int32_t leaf) {
    const FlatTree& flat = forest.trees[tree];
    const std::size_t value = flat.first_value + static_cast<std::size_t>(leaf) * flat.width;
    for (std::uint32_t k = 0; k < flat.width; ++k) {
      double& sum = first[(flat.first_output + k) * step];
      sum = add_value(forest, sum, value + k);
    }
  }
  FW_HD void store(const TreesView& forest) const {
    for (std::uint32_t k = 0; k < forest.num_outputs; ++k)
      forest.found.values[record * forest.num_outputs + k] = finish_value(forest, first[k * step], k);
  }
};

inline bool has_one_sum(const EvaluationModel& model) {
  switch (model.wanted) {
    case RequestedOutput::kLeaves:
      return true;
    case RequestedOutput::kValues:
      return model.forest.num_outputs() == 1;
    case RequestedOutput::kSums:
    case RequestedOutput::kClass:
      break;
  }
  return model.flat.kind == LeafOutput::kClass || model.flat.kind == LeafOutput::kMargin;
}

/// Calls `use` with OneSum{} or OutputSums{}, whichever the classes of a model need.
template <typename Use>
void with_class_sums(const EvaluationModel& model, const Use& use) {
  if (has_one_sum(model))
    use(OneSum{});
  else
    use(OutputSums{});
}

/// Calls `use` with the accumulator above that the model's answers need.
template <typename Use>
void with_sums(const EvaluationModel& model, const Use& use) {
  if (model.wanted == RequestedOutput::kClass)
    with_class_sums(model, use);
  else if (has_one_sum(model))
    use(OneValue{});
  else
    use(OutputValues{});
}

/// Size of a thread's sums in shared memory.
inline std::size_t sum_bytes(const EvaluationModel& model) {
  if (has_one_sum(model)) return 0;
  return model.forest.num_outputs() *
         (model.wanted == RequestedOutput::kClass ? sizeof(OutputSums::Element) : sizeof(OutputValues::Element));
}

/// Why strategies of GPUs cannot compute the requested output, as the rest of a sentence; empty when they can.
inline OptionSentence gpu_answer_unsupported(const EvaluationModel& model) {
  return model.wanted == RequestedOutput::kSums ? "integer sums are found on the CPU" : "";
}

/// Records as kernels read them: the original floats, or ranks.
template <typename Value>
struct HeldRows {
  const Value* data;
  std::size_t record_step, attribute_step;
  std::size_t num_records;

  FW_HD const Value* row(std::size_t record) const { return data + record * record_step; }
  /// @param row  From row(). @param attribute  As named in tests.
  FW_HD Value value(const Value* row, std::uint32_t attribute) const { return row[attribute * attribute_step]; }
};

/// Converts records to the form that tests of a model read.
class RowHolder {
 public:
  explicit RowHolder(const EvaluationModel& model);

  /// @param records  On the GPU.
  void hold(const RecordView& records, HeldRows<float>& rows, const cuda::Stream& stream);
  /// Converts values to ranks, by columns: one column for each tested attribute.
  void hold(const RecordView& records, HeldRows<std::uint16_t>& rows, const cuda::Stream& stream);

  RankView ranks() const { return {attributes_.view(), thresholds_.view(), marks_.view()}; }

 private:
  cuda::GpuBuffer<RankedAttribute> attributes_;
  cuda::GpuBuffer<float> thresholds_;
  cuda::GpuBuffer<std::uint32_t> marks_;
  cuda::GpuBuffer<std::uint16_t> held_;
};

/// Calls `use` with the representation of a model's values: FloatsNanRight{}, FloatsNanEither{} or Ranks16{}.
template <typename Use>
void with_held(const EvaluationModel& model, Values values, const Use& use) {
  if (values == Values::kRanks)
    use(Ranks16{});
  else if (model.flat.nan_side == NanSide::kRight)
    use(FloatsNanRight{});
  else
    use(FloatsNanEither{});
}

// Code that the kernels over records share: grids, shared memory and the sums of a thread in it.

constexpr std::size_t kFreeSharedBytes = 48u << 10;  // available to blocks without opting in

/// Why a block cannot have this much shared memory, as the rest of a sentence; empty when it can.
inline OptionSentence shared_memory_unsupported(std::size_t size_bytes) {
  if (size_bytes <= cuda::block_shared_bytes()) return "";
  return "it needs " + std::to_string(size_bytes) + " bytes of shared memory in a block, and this GPU has " +
         std::to_string(cuda::block_shared_bytes());
}

/// As many blocks as run at once, or fewer when there are few records: each block processes many records, to make its
/// copies into shared memory worthwhile.
template <typename Kernel>
unsigned blocks_that_run(Kernel kernel, unsigned threads, std::size_t shared_bytes, std::size_t num_records,
                         std::size_t records_per_block) {
  // Allow the maximum: the limit belongs to the kernel, which another thread may be about to launch with more memory.
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

/// The sums for one of a thread's records, after `skip_bytes` of the block's shared memory.
template <typename Sums>
__device__ Sums sums_in_block(std::size_t skip_bytes, std::uint32_t place, std::uint32_t num_places) {
  if constexpr (requires { typename Sums::Element; })
    return Sums{reinterpret_cast<typename Sums::Element*>(reinterpret_cast<char*>(block_memory) + skip_bytes) + place,
                num_places, 0};
  else
    return Sums{};
}
#endif

}  // namespace fernwood::records
