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
  expect_refused({"importance", "--model", model(), "--data", rooms(), "--max-frames", "1"}, kData);
}

}  // namespace
}  // namespace fernwood::apps
