// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backbone/small_network.h"
#include "fernwood/report/description.h"
#include "fernwood/report/evaluation.h"
#include "forest/model_parts.h"
#include "forest/noise_stages.h"
#include "sentences.h"

namespace fernwood::report {
namespace {

using evaluate::ImportanceReport, evaluate::VerifyReport;
using Json = nlohmann::json;

/// The small forest after two context stages: one of 2 leaves, one of 4 and 1.
forest::Forest staged_forest() {
  forest::Forest forest = forest::small_forest();
  forest::add_context_channels(forest);
  forest.stages = {
      {forest::heap_tree(2, 3, 2)}, {forest::heap_tree(4, 3, 3), forest::heap_tree(1, 3, 4)}, forest.labelling_trees()};
  return forest;
}

TEST(ModelTable, StagesHaveRowsOfTheirOwn) {
  const forest::Forest forest = staged_forest();
  const forest::ForestSummary summary = forest::summarize(forest);
  const std::string text = model_table(forest, summary, "00");
  fernwood::testdata::expect_sentence(text);
  const Json found = Json::parse(model_json(forest, summary, "00"));
  EXPECT_EQ(found["num_trees"], 2);
  EXPECT_EQ(found["context_stages"].size(), 2u);
  EXPECT_EQ(found["context_stages"][1][0]["nodes"], 7);
  EXPECT_EQ(found["context_stages"][1][0]["depth"], 2);
  EXPECT_EQ(found["trees"][0]["leaves"], 3);
  EXPECT_EQ(found["splits_by_level"], (Json{1, 1}));  // of the labelling stage
}

TEST(ModelTable, TellsTheBackbone) {
  forest::Forest forest = forest::small_forest();
  const auto json = [&] { return Json::parse(model_json(forest, forest::summarize(forest), "00")).at("backbone"); };
  EXPECT_TRUE(json().is_null());
  forest.preparation.maps = backbone::noise_backbone(1, 2);
  EXPECT_EQ(json().at("maps"), 64);
  EXPECT_EQ(json().at("checksum"), forest.preparation.maps->checksum());
}

TEST(ModelTable, OneStageIsNotNumbered) {
  const forest::Forest forest = forest::small_forest();
  const std::string text = model_table(forest, forest::summarize(forest), "00");
  fernwood::testdata::expect_sentence(text);
  EXPECT_EQ(Json::parse(model_json(forest, forest::summarize(forest), "00"))["context_stages"], Json::array());
}

ImportanceReport small_importance() {
  ImportanceReport report{"m", "d", {}};
  report.permutation = {
      1234, {0.8, 0.6}, {{"rgb", {"red", "green", "blue"}, false, {0.5, 0.25}}, {"scale", {}, true, {0.75, 0.5}}}};
  return report;
}

TEST(Importance, IsToldByAccuraciesAndWhatTheyLose) {
  fernwood::testdata::expect_sentence(importance_table(small_importance(), false));
  fernwood::testdata::expect_sentence(Json::parse(importance_json(small_importance())).dump());
}

TEST(VerificationTable, ShowsWaysDifferencesAndWhatIsMissing) {
  VerifyReport report;
  report.model = "m.fernwood";
  report.dataset = "rooms/test";
  report.num_frames = 3;
  report.num_pixels = 36;
  report.ways = {{"cpu", "fake", 0, {}},
                 {"cuda:0", "fake", 0, {}},
                 {"cuda:1", "fake", 1, {{"f1", 3, 1, "probability of floor 0.25, not 0.5"}}}};
  report.missing = {"no GPU was compared"};
  fernwood::testdata::expect_sentence(verification_table(report, false));
  const Json json = Json::parse(verification_json(report));
  EXPECT_EQ(json.at("identical"), false);
  EXPECT_EQ(json.at("ways")[1].at("first_difference"), nullptr);
  EXPECT_EQ(json.at("ways")[2].at("first_difference").at("x"), 3);
  EXPECT_EQ(json.at("missing")[0], "no GPU was compared");
  report.ways.resize(1);
  fernwood::testdata::expect_sentence(verification_table(report, false));
}

}  // namespace
}  // namespace fernwood::report
