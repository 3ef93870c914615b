// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;

class ImportanceCommand : public CommandLine {};

TEST_F(ImportanceCommand, StartsFromTheAccuracyThatEvaluateFinds) {
  const Words common = {"--model", model(), "--data", rooms(), "--json"};
  Words importance = {"importance"}, evaluate = {"evaluate"};
  for (Words* words : {&importance, &evaluate}) words->insert(words->end(), common.begin(), common.end());
  const Outcome outcome = run(importance);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json found = Json::parse(outcome.out), intact = Json::parse(run(evaluate).out);
  EXPECT_EQ(found.at("pixel_accuracy"), intact.at("pixel_accuracy"));
  EXPECT_EQ(found.at("class_accuracy"), intact.at("class_accuracy"));
  Words names;
  for (const Json& exchange : found.at("exchanged")) names.push_back(exchange.at("name"));
  EXPECT_EQ(names, (Words{"lab", "L", "a", "b", "depth", "scale"}));
}

TEST_F(ImportanceCommand, PrintsATableAndRefusesALoneFrame) {
  const Words words = {"importance", "--model", model(), "--data", rooms()};
  EXPECT_THAT(run(words).out, testing::HasSubstr("exchanged between frames"));
  Words lone = words;
  lone.insert(lone.end(), {"--max-frames", "1"});
  expect_refused(lone, 3, {"has 1 frame; frames exchange channels"});
}

TEST_F(ImportanceCommand, DescribeTellsTheSameOfAModelAndFrames) {
  const Json importance = Json::parse(run({"importance", "--model", model(), "--data", rooms(), "--json"}).out);
  const Outcome outcome = run({"describe", model(), "--data", rooms(), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  Json described = Json::parse(outcome.out);
  const Json found = described.at("importance");
  for (const char* key : {"frames", "pixel_accuracy", "class_accuracy", "exchanged"})
    EXPECT_EQ(found.at(key), importance.at(key)) << key;
  EXPECT_EQ(found.size(), 4u);
  described.erase("importance");
  EXPECT_EQ(described, Json::parse(run({"describe", model(), "--json"}).out));

  const std::string alone = run({"describe", model()}).out, both = run({"describe", model(), "--data", rooms()}).out,
                    table = run({"importance", "--model", model(), "--data", rooms()}).out;
  ASSERT_TRUE(both.starts_with(alone));
  const std::string rows = both.substr(both.find("exchanged between frames"));
  EXPECT_THAT(table, testing::HasSubstr(rows));
  EXPECT_THAT(both, testing::HasSubstr("\n2 frames of " + (rooms() / "test").string() + "\n"));
}

TEST_F(ImportanceCommand, DescribeRefusesFramesThatDoNotFit) {
  expect_refused({"describe", model(), "--data", folder_ / "nowhere"}, 3, {"nowhere"});
  expect_refused({"describe", model(), "--data", rooms(), "--max-frames", "1"}, 3, {"has 1 frame", "give at least 2"});
  expect_refused({"describe", model(), "--max-frames", "3"}, 2, {"--max-frames has no effect without --data"});
}

}  // namespace
}  // namespace fernwood::apps
