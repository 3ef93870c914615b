// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/rank_table.h"

#include <gtest/gtest.h>

#include "records/record_models.h"

namespace fernwood::records {
namespace {

TEST(RankTable, ARankIsTheNumberOfThresholdsBelow) {
  RecordForest forest = stumps({{0, 2.0f}, {0, -1.0f}, {0, 2.0f}, {0, 1e9f}, {1, 5.0f}});
  const RankTable table = rank_thresholds(forest);
  ASSERT_EQ(table.attributes.size(), 2u);
  EXPECT_EQ(table.attributes[0].count, 3u);
  EXPECT_EQ(table.most, 3u);
  const auto rank = [&](float value) { return rank_of(table.view(), table.attributes[0], value); };
  EXPECT_EQ(rank(-1.0f), 0u);
  EXPECT_EQ(rank(-0.5f), 1u);
  EXPECT_EQ(rank(2.0f), 1u);
  EXPECT_EQ(rank(2.5f), 2u);
  EXPECT_EQ(rank(2e9f), 3u);
  EXPECT_EQ(rank_or_nan(table.view(), table.attributes[0], not_a_number()), 3u);
  EXPECT_EQ(table.rank_of_threshold(0, 1e9f), 2u);
}

TEST(RankTable, SideByRankIsSideByValueForEveryTestAndValue) {
  RecordForest forest = random_forest({.trees = 20, .depth = 7, .classes = 2, .attributes = 5, .nan = 1, .seed = 3});
  forest.trees[0].nodes[0].threshold = std::numeric_limits<float>::infinity();
  forest.trees[1].nodes[0].threshold = -std::numeric_limits<float>::infinity();
  forest.trees[2].nodes[0].threshold = 3e38f;  // the other thresholds of its attribute share one bucket
  const RankTable table = rank_thresholds(forest);
  const std::vector<float> values = tricky_records(forest, 400, 5);
  for (const RecordTree& tree : forest.trees)
    for (const RecordNode& node : tree.nodes) {
      if (node.is_leaf()) continue;
      const std::uint32_t slot = table.slot_of(node.attribute);
      const std::uint32_t threshold = table.rank_of_threshold(slot, node.threshold);
      for (const float value : values)
        ASSERT_EQ(rank_or_nan(table.view(), table.attributes[slot], value) > threshold ? 1 : 0, side_of(node, value))
            << value << " against " << node.threshold;
    }
}

}  // namespace
}  // namespace fernwood::records
