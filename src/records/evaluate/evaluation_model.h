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

/// Where unknown values go in the tests of a forest. What holds for all of them need not be asked at each.
enum class NanSide { kRight, kLeft, kEither };

/// A node as evaluation wants it: 8 bytes, siblings side by side on a boundary of 16.
struct FlatNode {
  float threshold;
  std::uint32_t link;  ///< Of its tree: slot of the left child, whether NaN goes left, attribute; see LinkBits.
};

/// How FlatNode::link is divided, which depends on the number of attributes.
struct LinkBits {
  std::uint32_t attribute_bits;

  FW_HD std::uint32_t attribute(std::uint32_t link) const { return link & ((1u << attribute_bits) - 1); }
  FW_HD int nan_left(std::uint32_t link) const { return static_cast<int>((link >> attribute_bits) & 1u); }
  FW_HD std::uint32_t child(std::uint32_t link) const { return link >> (attribute_bits + 1); }
  FW_HD std::uint32_t pack(std::uint32_t attribute, int nan_left, std::uint32_t child) const {
    return attribute | static_cast<std::uint32_t>(nan_left) << attribute_bits | child << (attribute_bits + 1);
  }
};

/// Side of a test, where kSide holds for the whole forest.
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

/// What the number that a leaf answers with means, and how answers of trees become a class.
enum class LeafOutput {
  kClass,   ///< The class: there is one tree.
  kMargin,  ///< What it adds to a sum; class 1 of two where the sum is above 0.
  kVote,    ///< What it adds to the one output that its tree is for.
  kRow,     ///< Which row of `rows` it adds to all outputs.
  kLeaf     ///< Its own number among the leaves of its tree.
};

/// What evaluation is to find of a record.
enum class RequestedOutput {
  kClass,   ///< Its class.
  kSums,    ///< The whole-number sums over trees, an element for each output.
  kValues,  ///< The floating-point sums, likewise, finished.
  kLeaves   ///< The number of the leaf of each tree that it ends in.
};

struct FlatTree {
  std::uint32_t first_slot;                  ///< Its slots begin there: one unused, the root, then pairs of siblings.
  std::uint32_t num_slots;                   ///< Even.
  std::uint32_t depth;                       ///< Steps after which every record is at a leaf.
  std::uint32_t first_output;                ///< For LeafOutput::kVote, and of values.
  std::uint32_t first_value = 0, width = 0;  ///< Of values: those of its leaves begin there, so many each.
};
inline constexpr std::uint32_t kRootSlot = 1;

/// All trees of a forest in one array of slots.
struct FlatForest {
  std::vector<FlatNode> nodes;        ///< [slot]
  std::vector<std::int32_t> answers;  ///< [slot] of leaves, see LeafOutput; 0 elsewhere.
  std::vector<FlatTree> trees;
  LinkBits bits{0};
  NanSide nan_side = NanSide::kRight;
  LeafOutput kind = LeafOutput::kRow;
  RequestedOutput wanted = RequestedOutput::kClass;
  Link link = Link::kMean;
  std::vector<std::int32_t> base;  ///< [output], with kMargin a single number.
  Array2<std::int32_t> rows;       ///< [row][output] for kRow.
  std::uint32_t margin = 0;        ///< Of choose_class_surely().
  std::uint32_t depth = 0;         ///< Of the deepest tree.

  // Of RequestedOutput::kValues.
  FloatSums float_sums;
  std::vector<double> doubles;  ///< [tree][leaf][width] Values of leaves,
  std::vector<float> floats;    ///< or, where sums are rounded to 32 bits, these.
};

/// A forest in the forms that strategies want; made once, shared by all that evaluate it.
struct EvaluationModel {
  RecordForest forest;             ///< Over the columns of records: it has no rules, and its attributes are columns.
  ColumnRules columns;             ///< How records become these; empty: they are.
  std::size_t num_attributes = 0;  ///< Of records.
  std::optional<ColumnReader> reader;  ///< Where there are column rules.
  RequestedOutput wanted = RequestedOutput::kClass;
  OptionSentence flat_unsupported;  ///< Why `flat` is empty, as the rest of a sentence; empty: it is not.
  FlatForest flat;
  OptionSentence ranks_unsupported;  ///< Why `ranks` is empty; empty: it is not.
  RankTable ranks;
};
using SharedModel = std::shared_ptr<const EvaluationModel>;

/// The class of all records that end in a leaf of a forest of one tree.
std::int32_t class_of_leaf(const RecordForest& forest, const RecordTree& tree, std::size_t leaf);

/// Numbers that are found of a record.
std::size_t found_width(const EvaluationModel& model);

/// @throws Error(kModel) as check_records().
SharedModel make_evaluation_model(const RecordForest& forest, RequestedOutput wanted = RequestedOutput::kClass);

// A forest that asks one attribute only is a step function of it, whatever its trees: between two neighbouring
// thresholds every test has one outcome. So the rank of the value tells the class.

/// Views of the intervals of an attribute, so that kernels may take them.
struct IntervalView {
  RankView ranks;                     ///< Of one attribute.
  View1<const std::int32_t> classes;  ///< [thresholds + 2] by rank; the last is that of NaN.

  FW_HD const RankedAttribute& attribute() const { return ranks.attributes[0]; }
  FW_HD std::uint32_t rank(float value) const { return rank_of(ranks, attribute(), value); }
  FW_HD std::int32_t class_at(std::uint32_t interval) const { return classes[interval]; }
};

/// @param intervals  An IntervalView, or the like.
template <typename Intervals>
FW_HD std::int32_t class_of_value(const Intervals& intervals, float value) {
  return intervals.class_at(is_nan(value) ? intervals.attribute().count + 1 : intervals.rank(value));
}

/// Class of each interval of the one attribute that a forest asks.
std::vector<std::int32_t> classes_of_intervals(const EvaluationModel& model);

}  // namespace fernwood::records
