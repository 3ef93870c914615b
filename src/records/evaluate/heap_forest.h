// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

// Trees filled up to perfect ones: the tests below test i are 2 i + 1 and 2 i + 2, so that no test has to name them,
// and every record takes as many steps. Below a leaf both sides lead to its answer, whatever the tests there say.

struct HeapTree {
  std::uint32_t first_word;  ///< Of HeapForest::words: its tests, then its answers.
  std::uint32_t num_words;   ///< A multiple of 4, so that trees begin on boundaries of 16 bytes.
  std::uint32_t depth;
};

struct HeapForest {
  std::vector<HeapTree> trees;
  std::vector<std::uint32_t> words;
};

/// Words that a test takes: with ranks one, rank and attribute's slot in 16 bits each; else threshold, then slot and,
/// on top, whether NaN goes left.
template <typename Held>
inline constexpr std::uint32_t kHeapTestWords = sizeof(typename Held::Value) == 2 ? 1 : 2;

/// Side of test i. @param value_of  value_of(slot): as Held says.
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

/// Word of a tree where the answer stands for a path that ended behind its tests at place i.
template <typename Held>
FW_HD std::uint32_t heap_answer(std::uint32_t i, std::uint32_t depth) {
  const std::uint32_t num_tests = (1u << depth) - 1;
  return num_tests * kHeapTestWords<Held> + (i - num_tests);
}

/// Why trees cannot be filled up, as the rest of a sentence; empty when they can.
std::string heap_obstacle(const EvaluationModel& model);
/// Words of a tree; see HeapTree::num_words.
std::uint32_t heap_words(std::uint32_t depth, Values values);
HeapForest fill_up(const EvaluationModel& model, Values values);

}  // namespace fernwood::records
