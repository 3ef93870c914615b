// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "records/evaluate/packed_forest.h"

namespace fernwood::lab {

// Spencer's speculative decomposition (section 3.3): every node of a tree gets a processor, all tests are asked at
// once, and the path from the root is found by pointer jumping: each node takes over its successor's successor.

inline constexpr std::int32_t kNoAnswer = -1;  ///< Of a test; classes are not negative.

/// One tree as the processors of a record group want it, nodes in breadth-first order.
struct SpeculativeTree {
  std::vector<records::PackedRecordNode> nodes;  ///< [node]
  std::vector<std::int32_t> child;               ///< [node] The left child; a leaf: itself.
  std::vector<std::int32_t> answers;             ///< [node] Class of a leaf, kNoAnswer of a test.
  std::vector<std::int32_t> tests;               ///< [processor] Node of each test: Procedure 5's processorNodeMap.
  records::PackedBits bits{0};
};

SpeculativeTree speculative_tree(const records::EvaluationModel& model, records::Values values);

// Spencer's further work (section 6): a large tree is evaluated a window at a time, some levels at once, and the node
// reached is the root of the next window. Here a window is five levels, 31 tests, one for each lane of a warp but the
// last; lanes all ask their test, and the answers in one word lead to one of 32 exits.

inline constexpr std::uint32_t kWindowLevels = 5;
inline constexpr std::uint32_t kWindowTests = 31;
inline constexpr std::uint32_t kWindowExits = 32;

/// Exit of a window where a record leaves it.
/// @param sides  Bit i: side of test i, in breadth-first order: the tests below test i are 2i + 1 and 2i + 2.
FW_HD std::uint32_t window_exit(std::uint32_t sides) {
  std::uint32_t test = 0;
  for (std::uint32_t level = 0; level < kWindowLevels; ++level) test = 2 * test + 1 + (sides >> test & 1u);
  return test - kWindowTests;
}

/// What an exit leads to: a window, or the end with an answer.
struct WindowExit {
  std::int32_t next;    ///< Window of the forest; negative: the end.
  std::int32_t answer;  ///< At the end.
};

/// A forest cut into windows.
struct WindowedForest {
  std::vector<records::PackedRecordNode>
      tests;                         ///< [window][kWindowExits] The last of each is not asked; links hold no children.
  std::vector<WindowExit> exits;     ///< [window][kWindowExits]
  std::vector<std::uint32_t> roots;  ///< [tree] Window where it begins.
  records::PackedBits bits{0};
};

WindowedForest cut_into_windows(const records::EvaluationModel& model, records::Values values);

}  // namespace fernwood::lab
