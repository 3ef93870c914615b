// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/records/record_forest.h"
#include "records/evaluate/column_reader.h"
#include "records/evaluate/rank_table.h"

namespace fernwood::records {

/// Side of unknown values in the tests of a forest. A side common to all tests need not be stored in each.
enum class NanSide { kRight, kLeft, kEither };

/// A node in the form for evaluation: 8 bytes, siblings adjacent on a boundary of 16 bytes.
struct FlatNode {
  float threshold;
  std::uint32_t link;  ///< Slot of the left child in its tree, whether NaN goes left, attribute; see LinkBits.
};

/// Layout of FlatNode::link, which depends on the number of attributes.
struct LinkBits {
  std::uint32_t attribute_bits;

  FW_HD std::uint32_t attribute(std::uint32_t link) const { return link & ((1u << attribute_bits) - 1); }
  FW_HD int nan_left(std::uint32_t link) const { return static_cast<int>((link >> attribute_bits) & 1u); }
  FW_HD std::uint32_t child(std::uint32_t link) const { return link >> (attribute_bits + 1); }
  FW_HD std::uint32_t pack(std::uint32_t attribute, int nan_left, std::uint32_t child) const {
    return attribute | static_cast<std::uint32_t>(nan_left) << attribute_bits | child << (attribute_bits + 1);
  }
};

/// Side of a value in a test, where kSide holds for the whole forest.
template <NanSide kSide>
FW_HD std::uint32_t flat_side(float value, float threshold, int nan_left) {
  if constexpr (kSide == NanSide::kRight) return static_cast<std::uint32_t>(side(value, threshold));
  if constexpr (kSide == NanSide::kLeft) return value > threshold ? 1u : 0u;
  return static_cast<std::uint32_t>(side_with_nan(value, threshold, nan_left));
}

/// The slot that follows a node for a record; a leaf is followed by itself, whatever the value.
template <NanSide kSide>
FW_HD std::uint32_t next_slot(const FlatNode& node, const LinkBits& bits, float value) {
  const int nan_left = kSide == NanSide::kEither ? bits.nan_left(node.link) : 0;
  return bits.child(node.link) + flat_side<kSide>(value, node.threshold, nan_left);
}

/// Meaning of the number that a leaf answers with, and how the answers of trees determine a class.
enum class LeafOutput {
  kClass,   ///< The class: the forest has one tree.
  kMargin,  ///< A summand; class 1 of two where the sum is above 0.
  kVote,    ///< A summand for the one output of the leaf's tree.
  kRow,     ///< Index in `rows` of the row that is added to all outputs.
  kLeaf     ///< Index of the leaf in its tree.
};

/// The result that evaluation computes for each record.
enum class RequestedOutput {
  kClass,   ///< The class.
  kSums,    ///< The whole-number sums over trees, one for each output.
  kValues,  ///< The floating-point sums, one for each output, finished.
  kLeaves   ///< For each tree, the index of the leaf that the record ends in.
};

struct FlatTree {
  std::uint32_t first_slot;                  ///< Start of its slots: one unused, the root, then pairs of siblings.
  std::uint32_t num_slots;                   ///< Even.
  std::uint32_t depth;                       ///< Number of steps after which every record is at a leaf.
  std::uint32_t first_output;                ///< For LeafOutput::kVote, and for values.
  std::uint32_t first_value = 0, width = 0;  ///< Start of the values of its leaves; values of each leaf.
};
inline constexpr std::uint32_t kRootSlot = 1;

/// All trees of a forest in one array of slots.
struct FlatForest {
  std::vector<FlatNode> nodes;        ///< [slot]
  std::vector<std::int32_t> answers;  ///< [slot] Answer of a leaf, see LeafOutput; 0 for other slots.
  std::vector<FlatTree> trees;
  LinkBits bits{0};
  NanSide nan_side = NanSide::kRight;
  LeafOutput kind = LeafOutput::kRow;
  RequestedOutput wanted = RequestedOutput::kClass;
  Link link = Link::kMean;
  std::vector<std::int32_t> base;  ///< [output]; with kMargin a single number.
  Array2<std::int32_t> rows;       ///< [row][output], for kRow.
  std::uint32_t margin = 0;        ///< Argument of choose_class_surely().
  std::uint32_t depth = 0;         ///< Depth of the deepest tree.

  // Only for RequestedOutput::kValues.
  FloatSums float_sums;
  std::vector<double> doubles;  ///< [tree][leaf][width] Values of leaves, where sums are not rounded to 32 bits.
  std::vector<float> floats;    ///< The same, where sums are rounded to 32 bits.
};

/// A forest in the forms that strategies need; built once and shared by all its evaluators.
struct EvaluationModel {
  RecordForest forest;             ///< Over the columns of records: no rules, its attributes are columns.
  ColumnRules columns;             ///< Rules that convert records to columns; empty: the attributes are the columns.
  std::size_t num_attributes = 0;  ///< Number of attributes of records.
  std::optional<ColumnReader> reader;  ///< Present if the forest has column rules.
  RequestedOutput wanted = RequestedOutput::kClass;
  OptionSentence flat_unsupported;  ///< Why `flat` is empty, as the rest of a sentence; empty if `flat` is not.
  FlatForest flat;
  OptionSentence ranks_unsupported;  ///< Why `ranks` is empty, likewise.
  RankTable ranks;
};
using SharedModel = std::shared_ptr<const EvaluationModel>;

/// The class of all records that end in a leaf, for a forest of one tree.
std::int32_t class_of_leaf(const RecordForest& forest, const RecordTree& tree, std::size_t leaf);

/// Number of elements that evaluation writes for each record.
std::size_t found_width(const EvaluationModel& model);

/// @throws Error(kModel) from check_records().
SharedModel make_evaluation_model(const RecordForest& forest, RequestedOutput wanted = RequestedOutput::kClass);

// A forest with tests on only one attribute is a step function of it, whatever its trees: between two neighbouring
// thresholds no test changes its outcome. So the rank of the value determines the class.

/// Views of the intervals of an attribute, for kernels.
struct IntervalView {
  RankView ranks;                     ///< Of the one attribute.
  View1<const std::int32_t> classes;  ///< View of one attribute.

  FW_HD const RankedAttribute& attribute() const { return ranks.attributes[0]; }
  FW_HD std::uint32_t rank(float value) const { return rank_of(ranks, attribute(), value); }
  FW_HD std::int32_t class_at(std::uint32_t interval) const { return classes[interval]; }
};

/// @param intervals  An IntervalView, or a type with the same members.
template <typename Intervals>
FW_HD std::int32_t class_of_value(const Intervals& intervals, float value) {
  return intervals.class_at(is_nan(value) ? intervals.attribute().count + 1 : intervals.rank(value));
}

/// Class of each interval of the only attribute that the forest tests.
std::vector<std::int32_t> classes_of_intervals(const EvaluationModel& model);

}  // namespace fernwood::records
