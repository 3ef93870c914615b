// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_summary.h"

#include <gtest/gtest.h>

#include "records/record_bytes_of.h"

namespace fernwood::records {
namespace {

TEST(RecordSummary, CountsTreesLeavesAndWhatIsAsked) {
  const RecordForest forest = mixed_records();
  const RecordSummary summary = summarize(forest);
  EXPECT_EQ(summary.num_nodes, 6u);
  EXPECT_EQ(summary.num_leaves, 4u);
  EXPECT_EQ(summary.min_depth, 0);
  EXPECT_EQ(summary.max_depth, 2);
  ASSERT_EQ(summary.trees.size(), 2u);
  EXPECT_EQ(summary.trees[0].leaves, 3u);
  EXPECT_EQ(summary.attributes[0].name, "size");
  EXPECT_EQ(summary.attributes[0].splits, 1u);
}

}  // namespace
}  // namespace fernwood::records
