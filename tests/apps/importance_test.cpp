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

TEST_F(ImportanceCommand, RefusesALoneFrame) {
  expect_each_refused({{"importance", "--model", model(), "--data", rooms(), "--max-frames", "1"},
                       {"describe", model(), "--data", rooms(), "--max-frames", "1"}},
                      kData);
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
  EXPECT_NE(table.find(both.substr(both.find("exchanged between frames"))), std::string::npos) << table;
}

}  // namespace
}  // namespace fernwood::apps
