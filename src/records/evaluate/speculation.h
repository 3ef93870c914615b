// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

// Spencer's speculative decomposition (section 3.3): every node of a tree gets a processor, all tests are asked at
// once, and the path from the root is found by pointer jumping: each node takes over its successor's successor.

inline constexpr std::int32_t kNoAnswer = -1;  ///< Of a test; classes are not negative.

/// One tree as the processors of a record group want it, nodes in breadth-first order.
struct SpeculativeTree {
  std::vector<PackedNode> nodes;      ///< [node] Links hold no children.
  std::vector<std::int32_t> child;    ///< [node] The left child; a leaf: itself.
  std::vector<std::int32_t> answers;  ///< [node] Class of a leaf, kNoAnswer of a test.
  std::vector<std::int32_t> tests;    ///< [processor] Node of each test: Procedure 5's processorNodeMap.
  std::uint32_t depth = 0;
  PackedBits bits{0};
};

/// Why a model cannot be evaluated so, as the rest of a sentence; empty when it can.
/// @param most_processors  That a record group can have. @param with_leaves  Leaves need a processor, too.
std::string speculation_obstacle(const EvaluationModel& model, Values values, std::size_t most_processors,
                                 bool with_leaves);
SpeculativeTree speculative_tree(const EvaluationModel& model, Values values);

/// Why speculation cannot pay for a model whatever its records: they would all have to go down to the deepest leaf.
std::string speculation_no_use(const EvaluationModel& model);

/// Reductions after which the root has found its leaf: each doubles the length of the path that a pointer stands for.
FW_HD std::uint32_t reductions_for(std::uint32_t depth) {
  std::uint32_t count = 0;
  while ((1u << count) < depth) ++count;
  return count;
}

}  // namespace fernwood::records
