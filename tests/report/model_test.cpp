// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fernwood/report/description.h"
#include "forest/model_parts.h"
#include "forest/noise_stages.h"
#include "records/record_bytes_of.h"

namespace fernwood::report {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

/// The small forest behind two context stages: of 2 leaves; of 4 and of 1.
forest::Forest staged_forest() {
  forest::Forest forest = forest::small_forest();
  forest::add_context_channels(forest);
  forest.stages = {
      {forest::heap_tree(2, 3, 2)}, {forest::heap_tree(4, 3, 3), forest::heap_tree(1, 3, 4)}, forest.labelling_trees()};
  return forest;
}

TEST(ModelTable, HaveRowsOfTheirOwn) {
  const forest::Forest forest = staged_forest();
  const forest::ForestSummary summary = forest::summarize(forest);
  const std::string text = model_table(forest, summary, "00");
  EXPECT_THAT(text, testing::StartsWith("tree        nodes     leaves   depth      samples\n"
                                        "1.1             3          2       1 "));
  EXPECT_THAT(text, HasSubstr("\n2.1             7          4       2 "));
  EXPECT_THAT(text, HasSubstr("\n2.2             1          1       0 "));
  EXPECT_THAT(text, HasSubstr("\n3.1             5          3       2 "));
  EXPECT_THAT(text,
              HasSubstr("\nstages    3, each after the first reads the classes' probabilities by the one before"));
  EXPECT_THAT(text, HasSubstr("\ncontext   p(class 0), p(class 1), p(class 2)\n"));
  const Json found = Json::parse(model_json(forest, summary, "00"));
  EXPECT_EQ(found["num_trees"], 2);
  EXPECT_EQ(found["context_stages"].size(), 2u);
  EXPECT_EQ(found["context_stages"][1][0]["nodes"], 7);
  EXPECT_EQ(found["context_stages"][1][0]["depth"], 2);
  EXPECT_EQ(found["trees"][0]["leaves"], 3);
  EXPECT_EQ(found["splits_by_level"], (Json{1, 1}));  // of the stage that labels
}

TEST(ModelTable, OneStageIsNotNumbered) {
  const forest::Forest forest = forest::small_forest();
  const std::string text = model_table(forest, forest::summarize(forest), "00");
  EXPECT_THAT(text, HasSubstr("\n1               5          3       2 "));
  EXPECT_THAT(text, testing::Not(HasSubstr("stages ")));
  EXPECT_EQ(Json::parse(model_json(forest, forest::summarize(forest), "00"))["context_stages"], Json::array());
}

TEST(RecordModel, TellsTreesLeavesAndWhatIsAsked) {
  const records::RecordForest forest = records::mixed_records();
  const records::RecordSummary summary = records::summarize(forest);
  const Json json = Json::parse(model_json(forest, summary, "0123"));
  EXPECT_EQ(json["kind"], "records");
  EXPECT_EQ(json["checksum"], "0123");
  EXPECT_EQ(json["trees"][0], (Json{{"nodes", 5}, {"leaves", 3}, {"depth", 2}}));
  EXPECT_EQ(json["attribute_use"][0], (Json{{"name", "size"}, {"splits", 1}}));
  EXPECT_THAT(model_table(forest, summary, "0123"), HasSubstr("2, 6 nodes, 4 leaves, depth 0 to 2\n"));
  EXPECT_THAT(model_table(forest, summary, "0123"), HasSubstr("weight                    50.0 %\n"));
}

}  // namespace
}  // namespace fernwood::report
