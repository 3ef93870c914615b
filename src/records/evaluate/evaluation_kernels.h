// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "core/isa.h"
#include "fernwood/core/array.h"
#include "fernwood/records/record_forest.h"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/rank_table.h"

namespace fernwood::records {

/// Gives memory that begins with a cache line, so that vectors of 512 bits do not lie across two.
template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  LineAllocator() = default;
  template <typename Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* items, std::size_t) { ::operator delete(items, kAlignment); }
  bool operator==(const LineAllocator&) const = default;
};
template <typename T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

/// Values of a block of records as strategies read them: floats where they are, or columns in scratch memory.
template <typename T>
struct BlockValues {
  const T* data;
  std::size_t num_records, record_step, column_step;

  FW_HD const T* column(std::size_t index) const { return data + index * column_step; }
  FW_HD T at(std::size_t record, std::size_t index) const { return data[record * record_step + index * column_step]; }
};

inline BlockValues<float> values_of(const RecordView& block) {
  return {block.data, block.num_records, block.record_step, block.attribute_step};
}

/// Scratch memory for columns of up to `most_records` values. Columns do not begin at the same place of their cache
/// sets, as they would at a distance of a power of two.
template <typename T>
class BlockColumns {
 public:
  BlockColumns(std::size_t most_records, std::size_t num_columns)
      : step_(most_records + 64 / sizeof(T)), values_(step_ * num_columns) {}

  T* column(std::size_t index) { return values_.data() + index * step_; }
  std::size_t step() const { return step_; }
  BlockValues<T> values(std::size_t num_records) const { return {values_.data(), num_records, 1, step_}; }

 private:
  std::size_t step_;
  AlignedVector<T> values_;
};

// A tree is evaluated for a block of records in up to two passes. Merging takes every test of the tree's upper part for
// many records at once, from the leaves up to the root: where a record goes at a test decides which of the two
// children's results it keeps. Walking then follows each record down what is left. Results are "places": slots of the
// tree, or what its leaves answer.

/// Records whose tests are taken at once: two vectors of 512 bits.
template <typename T>
inline constexpr std::size_t kGroup = 128 / sizeof(T);

/// What the results of merging are held in: as wide as values, so that vectors of both have as many elements.
template <typename T>
using Lane = std::conditional_t<std::is_same_v<T, float>, std::int32_t, T>;

/// A test, and where the results of its children begin in MergeArgs::lanes.
template <typename T>
struct MergeTest {
  T threshold;
  std::uint16_t column;
  std::uint16_t nan_left;  ///< Of floats.
  std::uint32_t left, right;
};

/// Merging trees of any shape.
template <typename T>
struct MergeArgs {
  View1<const MergeTest<T>> tests;  ///< At least 1, children before parents, the root last.
  std::size_t first_result;         ///< Where results of tests begin in `lanes`, in their order.
  const std::int32_t* exits;  ///< [exits] The place that the number of an exit stands for; null: the number is it.
  BlockValues<T> values;      ///< By columns; may be read up to whole groups of records.
  Lane<T>* lanes;             ///< kGroup lanes for each exit, filled, and from first_result on for each test.
  std::int32_t* places;       ///< [records up to whole groups], written.
};

/// A test of levels that are all there.
struct LayerTest {
  std::uint32_t thresholds = 0;  ///< The bits of the threshold, as often as they fit.
  std::uint16_t column = 0;
  std::uint16_t nan_left = 0;  ///< Of floats.
};
inline constexpr std::uint32_t kMostLayers = 8;   ///< Exits can be numbered in bytes.
inline constexpr std::uint32_t kChunkLayers = 4;  ///< The lowest layers are merged in chunks of so many.

/// Merging layers: the upper levels of a tree, filled up to a perfect one.
template <typename T>
struct LayerArgs {
  /// The levels above the lowest kChunkLayers from the root down, then chunk by chunk those of each; of oblivious trees
  /// one of each level.
  const LayerTest* tests;
  std::uint32_t num_layers;   ///< 1 ... kMostLayers
  const std::int32_t* exits;  ///< [2^layers] The place that the number of an exit stands for; of oblivious trees null
                              ///< where all are these.
  BlockValues<T> values;      ///< As in MergeArgs.
  std::int32_t* places;
};

/// A node over ranks: a value whose rank is above the threshold's goes right.
struct RankNode {
  std::uint16_t threshold, column;
  std::uint32_t child;  ///< Slot of the left one.
};

template <typename Node, typename T>
struct WalkArgs {
  const Node* nodes;  ///< [slot] of the tree
  LinkBits bits;      ///< Of FlatNode.
  std::uint32_t num_steps;
  BlockValues<T> values;
  std::int32_t* places;  ///< [records] Slots, replaced by those that follow.
};

/// Values of an attribute that become ranks.
template <typename T>
struct RankArgs {
  const float* values;
  std::size_t step, num_values;  ///< Floats from a value to the next; values.
  RankedAttribute attribute;
  std::uint32_t most_in_bucket;  ///< Thresholds of the bucket that has most.
  const float* thresholds;       ///< Of the attribute, kMostInBucket that nothing exceeds behind.
  const std::uint32_t* marks;    ///< Of the attribute.
  T* ranks;                      ///< [values up to a multiple of kRankTile], written.
};
inline constexpr std::size_t kRankTile = 64;
inline constexpr std::uint32_t kMostInBucket = 255;  ///< Thresholds of a bucket that are searched without branches.

/// Adding rows to rows.
struct AddRowsArgs {
  const std::int32_t* rows;     ///< [rows][width]
  std::size_t width;            ///< A multiple of kRowPiece.
  const std::int32_t* answers;  ///< [records] The row that is added.
  std::size_t num_records;
  std::int32_t* sums;  ///< [records][width]
};
inline constexpr std::size_t kRowPiece = 8;
using SumKernel = void (*)(const AddRowsArgs&);

/// Adding the values of leaves to sums, each record by itself.
template <typename T>
struct AddValuesArgs {
  const T* values;             ///< [leaf][width] Of a tree.
  std::size_t width;           ///< At least 1.
  const std::int32_t* leaves;  ///< [records]
  std::size_t num_records;
  T* sums;           ///< [records] `step` apart: the first that the tree adds to.
  std::size_t step;  ///< At least `width`.
};
struct ValueKernels {
  void (*floats)(const AddValuesArgs<float>&);
  void (*doubles)(const AddValuesArgs<double>&);
};

/// A kernel for each type of values; of floats for each NanSide.
template <template <typename> typename Args>
struct KernelsOf {
  void (*floats[3])(const Args<float>&);
  void (*words)(const Args<std::uint16_t>&);
  void (*bytes)(const Args<std::uint8_t>&);

  void (*of(NanSide side, float) const)(const Args<float>&) { return floats[static_cast<std::size_t>(side)]; }
  void (*of(NanSide, std::uint16_t) const)(const Args<std::uint16_t>&) { return words; }
  void (*of(NanSide, std::uint8_t) const)(const Args<std::uint8_t>&) { return bytes; }
};
template <typename T>
using NodeOf = std::conditional_t<std::is_same_v<T, float>, FlatNode, RankNode>;
template <typename T>
using WalkArgsOf = WalkArgs<NodeOf<T>, T>;
struct RankKernels {
  void (*words)(const RankArgs<std::uint16_t>&);
  void (*bytes)(const RankArgs<std::uint8_t>&);
};

/// The hot loops of evaluation, compiled once for each instruction set; all give the same answers.
struct EvaluationKernels {
  const KernelsOf<MergeArgs>* merge;
  const KernelsOf<LayerArgs>* merge_layers;
  const KernelsOf<LayerArgs>* index_levels;  ///< Of oblivious trees, which have a test for each level.
  const KernelsOf<WalkArgsOf>* walk;         ///< A step of all records, then the next.
  const RankKernels* rank;
  SumKernel add_rows;
  const ValueKernels* values;
};

/// @param isa  One of available_isas().
const EvaluationKernels& evaluation_kernels(Isa isa);

}  // namespace fernwood::records
