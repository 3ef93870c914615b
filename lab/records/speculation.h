// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "records/evaluate/packed_forest.h"

namespace fernwood::lab {

// Spencer's speculative decomposition (section 3.3): each node of a tree is assigned a processor, all tests are
// evaluated at once, and the path from the root is found by pointer jumping: each node takes its successor's successor.

inline constexpr std::int32_t kNoAnswer = -1;  ///< Answer of a test; classes are not negative.

/// A tree in the form for the processors of a record group, with nodes in breadth-first order.
struct SpeculativeTree {
  std::vector<records::PackedRecordNode> nodes;  ///< [node]
  std::vector<std::int32_t> child;               ///< [node] Left child; for a leaf, the leaf itself.
  std::vector<std::int32_t> answers;             ///< [node] Class of a leaf, kNoAnswer for a test.
  std::vector<std::int32_t> tests;               ///< [processor] Node of its test: Procedure 5's processorNodeMap.
  records::PackedBits bits{0};
};

SpeculativeTree speculative_tree(const records::EvaluationModel& model, records::Values values);

// Spencer's further work (section 6): a large tree is evaluated in windows of some levels, and the node that is reached
// is the root of the next window. Here a window has five levels and 31 tests, one for each lane of a warp but the last;
// all lanes evaluate their tests, and the results, packed in one word, select one of 32 exits.

inline constexpr std::uint32_t kWindowLevels = 5;
inline constexpr std::uint32_t kWindowTests = 31;
inline constexpr std::uint32_t kWindowExits = 32;

/// The exit by which a record leaves a window.
/// @param sides  Bit i: side of test i, in breadth-first order: the children of test i are 2i + 1 and 2i + 2.
FW_HD std::uint32_t window_exit(std::uint32_t sides) {
  std::uint32_t test = 0;
  for (std::uint32_t level = 0; level < kWindowLevels; ++level) test = 2 * test + 1 + (sides >> test & 1u);
  return test - kWindowTests;
}

/// Target of an exit: another window, or an answer.
struct WindowExit {
  std::int32_t next;    ///< Index of the next window; negative: the walk ends.
  std::int32_t answer;  ///< Answer, if the walk ends.
};

/// A forest divided into windows.
struct WindowedForest {
  std::vector<records::PackedRecordNode>
      tests;                         ///< [window][kWindowExits] The last of each is unused; links contain no children.
  std::vector<WindowExit> exits;     ///< [window][kWindowExits]
  std::vector<std::uint32_t> roots;  ///< [tree] Its first window.
  records::PackedBits bits{0};
};

WindowedForest cut_into_windows(const records::EvaluationModel& model, records::Values values);

}  // namespace fernwood::lab
