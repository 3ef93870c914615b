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

/// Allocates memory aligned to cache lines, so that vectors of 512 bits do not straddle two lines.
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

/// Values of a block of records, as strategies read them: the records' own floats, or columns in scratch memory.
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

/// Scratch memory for columns of up to `most_records` values. The distance between columns is not a power of two, so
/// that they do not start in the same cache set.
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

// A tree is evaluated for a block of records in up to two passes. Merging evaluates every test in the upper part of the
// tree for many records at once, from the leaves up to the root: the side of a record at a test selects the result of
// one of the two children. Walking then takes each record down the remaining levels. Results are "places": slots of the
// tree, or answers of its leaves.

/// Number of records that a test is evaluated for at once: two vectors of 512 bits.
template <typename T>
inline constexpr std::size_t kGroup = 128 / sizeof(T);

/// Element type of merged results: as wide as values, so that vectors of both have the same number of elements.
template <typename T>
using Lane = std::conditional_t<std::is_same_v<T, float>, std::int32_t, T>;

/// A test, and the positions in MergeArgs::lanes at which its children's results begin.
template <typename T>
struct MergeTest {
  T threshold;
  std::uint16_t column;
  std::uint16_t nan_left;  ///< Only for floats.
  std::uint32_t left, right;
};

/// Arguments for merging trees of any shape.
template <typename T>
struct MergeArgs {
  View1<const MergeTest<T>> tests;  ///< At least 1, children before parents, the root last.
  std::size_t first_result;         ///< Start of the results of tests in `lanes`, in the order of tests.
  const std::int32_t* exits;        ///< [exits] The place for each exit number; null: the number itself is the place.
  BlockValues<T> values;            ///< By columns; may be read up to a whole group of records.
  Lane<T>* lanes;        ///< kGroup lanes for each exit, filled, and, from first_result on, kGroup for each test.
  std::int32_t* places;  ///< [records, rounded up to whole groups] Written.
};

/// A test of a complete level.
struct LayerTest {
  std::uint32_t thresholds = 0;  ///< The bits of the threshold, repeated to fill the word.
  std::uint16_t column = 0;
  std::uint16_t nan_left = 0;  ///< Only for floats.
};
inline constexpr std::uint32_t kMaxLayers = 8;    ///< Exits can be numbered in bytes.
inline constexpr std::uint32_t kChunkLayers = 4;  ///< The number of lowest layers that are merged chunk by chunk.

/// Arguments for merging layers: the upper levels of a tree, completed to a perfect tree.
template <typename T>
struct LayerArgs {
  /// The levels above the lowest kChunkLayers from the root down, then the levels of each chunk in turn; for oblivious
  /// trees, one test for each level.
  const LayerTest* tests;
  std::uint32_t num_layers;   ///< 1 ... kMaxLayers
  const std::int32_t* exits;  ///< [2^layers] The place for each exit number; for oblivious trees null where the number
                              ///< itself is the place.
  BlockValues<T> values;      ///< As in MergeArgs.
  std::int32_t* places;
};

/// A node over ranks: a value whose rank exceeds the threshold's goes right.
struct RankNode {
  std::uint16_t threshold, column;
  std::uint32_t child;  ///< Slot of the left child.
};

template <typename Node, typename T>
struct WalkArgs {
  const Node* nodes;  ///< [slot] of the tree
  LinkBits bits;      ///< Layout of FlatNode::link.
  std::uint32_t num_steps;
  BlockValues<T> values;
  std::int32_t* places;  ///< [records] Slots, replaced by those that the walk ends at.
};

/// Arguments for converting the values of an attribute to ranks.
template <typename T>
struct RankArgs {
  const float* values;
  std::size_t step, num_values;  ///< Floats between successive values; number of values.
  RankedAttribute attribute;
  std::uint32_t most_in_bucket;  ///< Largest number of thresholds in a bucket.
  const float* thresholds;       ///< The attribute's, followed by kMaxInBucket that no value exceeds.
  const std::uint32_t* marks;    ///< The attribute's.
  T* ranks;                      ///< [values, rounded up to a multiple of kRankTile] Written.
};
inline constexpr std::size_t kRankTile = 64;
inline constexpr std::uint32_t kMaxInBucket = 255;  ///< Most thresholds in a bucket for a search without branches.

/// Arguments for adding a row to the sums of each record.
struct AddRowsArgs {
  const std::int32_t* rows;     ///< [rows][width]
  std::size_t width;            ///< A multiple of kRowPiece.
  const std::int32_t* answers;  ///< [records] Index of the row to add.
  std::size_t num_records;
  std::int32_t* sums;  ///< [records][width]
};
inline constexpr std::size_t kRowPiece = 8;
using SumKernel = void (*)(const AddRowsArgs&);

/// Arguments for adding the values of leaves to the sums of each record.
template <typename T>
struct AddValuesArgs {
  const T* values;             ///< [leaf][width] Of one tree.
  std::size_t width;           ///< At least 1.
  const std::int32_t* leaves;  ///< [records]
  std::size_t num_records;
  T* sums;           ///< [records] `step` elements apart: the first sum that the tree adds to.
  std::size_t step;  ///< At least `width`.
};
struct ValueKernels {
  void (*floats)(const AddValuesArgs<float>&);
  void (*doubles)(const AddValuesArgs<double>&);
};

/// A kernel for each type of values; for floats, one for each NanSide.
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

/// The hot loops of evaluation, compiled once for each instruction set; all variants return the same answers.
struct EvaluationKernels {
  const KernelsOf<MergeArgs>* merge;
  const KernelsOf<LayerArgs>* merge_layers;
  const KernelsOf<LayerArgs>* index_levels;  ///< For oblivious trees, which have one test for each level.
  const KernelsOf<WalkArgsOf>* walk;         ///< Each step is taken for all records before the next one.
  const RankKernels* rank;
  SumKernel add_rows;
  const ValueKernels* values;
};

/// @param isa  One of available_isas().
const EvaluationKernels& evaluation_kernels(Isa isa);

}  // namespace fernwood::records
