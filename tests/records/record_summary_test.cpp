// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_summary.h"

#include <gmock/gmock.h>
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
  const nlohmann::json json = nlohmann::json::parse(summary_json(forest, summary, "0123"));
  EXPECT_EQ(json["kind"], "records");
  EXPECT_EQ(json["checksum"], "0123");
  EXPECT_EQ(json["trees"][0], (nlohmann::json{{"nodes", 5}, {"leaves", 3}, {"depth", 2}}));
  EXPECT_EQ(json["attribute_use"][0], (nlohmann::json{{"name", "size"}, {"splits", 1}}));
  EXPECT_THAT(summary_table(forest, summary, "0123"), testing::HasSubstr("2, 6 nodes, 4 leaves, depth 0 to 2\n"));
  EXPECT_THAT(summary_table(forest, summary, "0123"), testing::HasSubstr("weight                    50.0 %\n"));
}

}  // namespace
}  // namespace fernwood::records
