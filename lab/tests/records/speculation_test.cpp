// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/speculation.h"

#include <gtest/gtest.h>

#include "lab/records/one_tree_study.h"
#include "records/every_strategy.h"
#include "records/held_value.h"

namespace fernwood::lab {
namespace {

using namespace records;

template <typename Held>
std::int32_t jump(const EvaluationModel& model, const SpeculativeTree& tree, const float* record) {
  std::vector<std::int32_t> path = tree.child;
  for (const std::int32_t node : tree.tests) {
    const PackedRecordNode& test = tree.nodes[static_cast<std::size_t>(node)];
    const auto value = held<Held>(model, record, tree.bits.attribute(test.link));
    path[static_cast<std::size_t>(node)] += Held::side(value, test.payload, tree.bits.nan_left(test.link));
  }
  while (tree.answers[static_cast<std::size_t>(path[0])] == kNoAnswer) {
    const std::vector<std::int32_t> before = path;
    for (std::int32_t& next : path) next = before[static_cast<std::size_t>(next)];
  }
  return tree.answers[static_cast<std::size_t>(path[0])];
}

template <typename Held>
std::int32_t walk_windows(const EvaluationModel& model, const WindowedForest& windowed, const float* record) {
  for (std::size_t window = windowed.roots[0];;) {
    std::uint32_t sides = 0;
    for (std::uint32_t lane = 0; lane < kWindowTests; ++lane) {
      const PackedRecordNode& test = windowed.tests[window * kWindowExits + lane];
      const auto value = held<Held>(model, record, windowed.bits.attribute(test.link));
      sides |= static_cast<std::uint32_t>(Held::side(value, test.payload, windowed.bits.nan_left(test.link))) << lane;
    }
    const WindowExit& exit = windowed.exits[window * kWindowExits + window_exit(sides)];
    if (exit.next < 0) return exit.answer;
    window = static_cast<std::size_t>(exit.next);
  }
}

/// Performs on the host the work of GPU threads on trees and windows, with the same functions.
template <typename Held>
void expect_classes(int nan, Values values) {
  const RecordForest forest =
      random_forest({.depth = 12, .classes = 9, .growth = 0.9, .most_nodes = 601, .nan = nan, .seed = 21});
  const SharedModel model = make_evaluation_model(forest);
  const SpeculativeTree tree = speculative_tree(*model, values);
  const WindowedForest windowed = cut_into_windows(*model, values);
  const std::vector<float> rows = tricky_records(forest, 500, 3);
  const std::vector<std::int32_t> expected = expected_classes(forest, rows);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const float* record = rows.data() + i * forest.attributes.size();
    ASSERT_EQ(jump<Held>(*model, tree, record), expected[i]);
    ASSERT_EQ(walk_windows<Held>(*model, windowed, record), expected[i]);
  }
}

TEST(Speculation, EndsInTheLeafOfTheRecord) {
  expect_classes<FloatsNanRight>(0, Values::kFloat);
  expect_classes<FloatsNanEither>(2, Values::kFloat);
  expect_classes<Ranks16>(0, Values::kRanks);
  expect_classes<Ranks16>(1, Values::kRanks);
}

TEST(Windows, AnExitIsThePathThroughFiveLevels) {
  EXPECT_EQ(window_exit(0), 0u);
  EXPECT_EQ(window_exit(0x7fffffff), 31u);
  EXPECT_EQ(window_exit(1), 16u);      // right at the root, then left
  EXPECT_EQ(window_exit(1 << 1), 8u);  // left, right, then left
  EXPECT_EQ(window_exit(1 << 2), 0u);  // a test that is not on the path
}

TEST(OneTreeStudy, SpeculationPaysBelowTheBoundOfEquation1) {
  EXPECT_DOUBLE_EQ(speculation_bound(1), 2.0);
  EXPECT_DOUBLE_EQ(speculation_bound(8), 4.0);
  EXPECT_DOUBLE_EQ(speculation_bound(16), 6.4);
}

}  // namespace
}  // namespace fernwood::lab
