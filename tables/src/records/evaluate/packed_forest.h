// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// A node in the form for GPUs: 8 bytes, siblings adjacent on a boundary of 16 bytes, so that one load reads both.
struct PackedRecordNode {
  std::uint32_t payload;  ///< Test: bits of the threshold, or its rank. Leaf: the answer.
  std::uint32_t link;     ///< See PackedBits.
};

/// Layout of PackedRecordNode::link, from the lowest bit: attribute, whether NaN goes left, pair of children; the
/// highest bit marks a leaf.
struct PackedBits {
  std::uint32_t attribute_bits;

  static FW_HD bool is_leaf(std::uint32_t link) { return (link >> 31) != 0; }
  FW_HD std::uint32_t attribute(std::uint32_t link) const { return link & ((1u << attribute_bits) - 1); }
  FW_HD int nan_left(std::uint32_t link) const { return static_cast<int>((link >> attribute_bits) & 1u); }
  /// Slot of the left child; the right one follows. @param link  Of a test.
  FW_HD std::uint32_t children(std::uint32_t link) const { return link >> (attribute_bits + 1) << 1; }
  FW_HD std::uint32_t pack(std::uint32_t attribute, int nan_left, std::uint32_t children) const {
    return attribute | static_cast<std::uint32_t>(nan_left) << attribute_bits | children / 2 << (attribute_bits + 1);
  }
};
inline constexpr std::uint32_t kPackedLeaf = 1u << 31;

/// Representations of values and their comparison with payloads. Each has Value and side(value, payload, nan_left).
struct FloatsNanRight {
  using Value = float;
  static FW_HD int side(float value, std::uint32_t payload, int) {
    return fernwood::side(value, float_of(static_cast<std::int32_t>(payload)));
  }
};
struct FloatsNanEither {
  using Value = float;
  static FW_HD int side(float value, std::uint32_t payload, int nan_left) {
    return side_with_nan(value, float_of(static_cast<std::int32_t>(payload)), nan_left);
  }
};
struct Ranks16 {
  using Value = std::uint16_t;
  static FW_HD int side(std::uint16_t value, std::uint32_t payload, int) { return value > payload ? 1 : 0; }
};

/// The slot that follows a test for a value.
template <typename Held>
FW_HD std::uint32_t packed_step(const PackedRecordNode& test, const PackedBits& bits, typename Held::Value value) {
  return bits.children(test.link) +
         static_cast<std::uint32_t>(Held::side(value, test.payload, bits.nan_left(test.link)));
}

/// All trees of a forest, for GPUs; slots as in FlatForest.
struct PackedForest {
  std::vector<PackedRecordNode> nodes;  ///< [slot]
  PackedBits bits{0};
};

/// Whether tests name an attribute by its index in RankTable::attributes (kSlot) or by its index in records.
enum class AttributeNames { kRecord, kSlot };

/// Why a model cannot be packed, as the rest of a sentence; empty when it can.
OptionSentence packed_unsupported(const EvaluationModel& model, Values values);
/// @param values  With kRanks, payloads of tests are ranks and attributes are slots.
PackedForest pack(const EvaluationModel& model, Values values, AttributeNames names);

// Perfect trees in heap order: the children of test i are 2 i + 1 and 2 i + 2, so that tests need no links, and every
// record takes the same number of steps. Below a leaf both sides of every test lead to its answer.

struct HeapTree {
  std::uint32_t first_word;  ///< Index in HeapForest::words of its tests, which its answers follow.
  std::uint32_t num_words;   ///< A multiple of 4, so that trees begin on boundaries of 16 bytes.
  std::uint32_t depth;
};

struct HeapForest {
  std::vector<HeapTree> trees;
  std::vector<std::uint32_t> words;
};

/// Words of a test: one with ranks (rank and attribute's slot in 16 bits each); otherwise two (threshold; slot, with
/// the NaN side in the highest bit).
template <typename Held>
inline constexpr std::uint32_t kHeapTestWords = sizeof(typename Held::Value) == 2 ? 1 : 2;

/// Side of test i. @param value_of  value_of(slot): a value of type Held::Value.
template <typename Held, typename ValueOf>
FW_HD std::uint32_t heap_side(const std::uint32_t* tests, std::uint32_t i, const ValueOf& value_of) {
  if constexpr (kHeapTestWords<Held> == 1) {
    const std::uint32_t word = tests[i];
    return static_cast<std::uint32_t>(Held::side(value_of(word >> 16), word & 0xffffu, 0));
  } else {
    const std::uint32_t threshold = tests[2 * i], slot = tests[2 * i + 1];
    return static_cast<std::uint32_t>(
        Held::side(value_of(slot & 0x7fffffffu), threshold, static_cast<int>(slot >> 31)));
  }
}

/// Index, in the words of a tree, of the answer for a path that ended at place i below the tests.
template <typename Held>
FW_HD std::uint32_t heap_answer(std::uint32_t i, std::uint32_t depth) {
  const std::uint32_t num_tests = (1u << depth) - 1;
  return num_tests * kHeapTestWords<Held> + (i - num_tests);
}

/// Why trees cannot be stored as perfect ones, as the rest of a sentence; empty when they can.
OptionSentence heap_unsupported(const EvaluationModel& model);
/// Number of words of a tree; see HeapTree::num_words.
std::uint32_t heap_words(std::uint32_t depth, Values values);
HeapForest fill_up(const EvaluationModel& model, Values values);

// Spencer's speculative decomposition (section 3.3) within a warp: every test of a tree has a lane, all are evaluated
// at once, and the path from the root is found by pointer jumping: each lane replaces its successor by that one's own.

/// The test of a lane, and the successor for each side: the lane of another test, or ~class.
struct LaneTest {
  PackedRecordNode test;
  std::int32_t next[2];
};

struct LaneTree {
  std::vector<LaneTest> lanes;  ///< The root's first; a power of two in number, the ones after the tests are idle.
  std::uint32_t jumps;          ///< Number of jumps to reach the root's leaf: each doubles the length of paths.
  PackedBits bits{0};
};

/// Why a model cannot be evaluated this way, as the rest of a sentence; empty when it can.
/// @param most_processors  Most processors of a record group. @param with_leaves  Leaves need a processor, too.
OptionSentence speculation_unsupported(const EvaluationModel& model, Values values, std::size_t most_processors,
                                       bool with_leaves);
LaneTree lane_tree(const EvaluationModel& model, Values values);

}  // namespace fernwood::records
