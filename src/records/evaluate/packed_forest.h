// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// A node as GPUs want it: 8 bytes, siblings side by side on a boundary of 16, so that one load brings both.
struct PackedNode {
  std::uint32_t payload;  ///< Test: bits of the threshold, or its rank. Leaf: the answer.
  std::uint32_t link;     ///< See PackedBits.
};

/// How PackedNode::link is divided, from the lowest bit: attribute, whether NaN goes left, pair of children; leaf on
/// top.
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

/// How values are held and compared with payloads. Each has Value, and side(value, payload, nan_left).
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

/// Slot that follows a test for a value.
template <typename Held>
FW_HD std::uint32_t packed_step(const PackedNode& test, const PackedBits& bits, typename Held::Value value) {
  return bits.children(test.link) +
         static_cast<std::uint32_t>(Held::side(value, test.payload, bits.nan_left(test.link)));
}

/// All trees of a forest, for GPUs; slots as in FlatForest.
struct PackedForest {
  std::vector<PackedNode> nodes;  ///< [slot]
  PackedBits bits{0};
};

/// Whether tests name attributes by their place among those that any test asks (RankTable::attributes), or in records.
enum class AttributeNames { kRecord, kSlot };

/// Why a model cannot be packed, as the rest of a sentence; empty when it can.
std::string packed_obstacle(const EvaluationModel& model, Values values);
/// @param values  With kRanks, payloads of tests are ranks and attributes are slots.
PackedForest pack(const EvaluationModel& model, Values values, AttributeNames names);

}  // namespace fernwood::records
