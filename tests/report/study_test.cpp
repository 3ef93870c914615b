// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "fernwood/report/evaluation.h"
#include "sentences.h"

namespace fernwood::report {
namespace {

using tune::Study, tune::StudyGroup, tune::StudyVariant;
using Json = nlohmann::json;
using testing::HasSubstr;

/// A base of 60 % and 50 %, two variants, and one that is unavailable.
Study small_study() {
  Study study;
  study.train_folder = "rooms/<train>";
  study.test_folder = "rooms/test";
  study.device = "cpu";
  study.train_frames = 1;
  study.test_frames = 1234;
  train::TrainOptions train;
  train.trees = 3;
  train.channels = {"lab", "depth"};
  study.base = {{{}, "base", train, train, {}, 0}, {0.6, 0.5}, 10, 2, ""};
  StudyVariant depth{StudyGroup::kChannels, "without lab", train, train, {}, 0};
  depth.train.channels = {"depth"};
  study.rows.push_back({depth, {0.481, 0.625}, 5, 1, ""});
  study.rows.push_back({{StudyGroup::kRotation, "turned by 15°", train, train, {}, 15}, {0.6, 0.4999}, 10, 2, ""});
  StudyVariant stages{StudyGroup::kStages, "2 stages", train, train, {}, 0};
  stages.train.cascade = 2;
  study.rows.push_back({stages, {}, 0, 0, "--cascade 2 is too much"});
  return study;
}

TEST(StudyTable, TellsAccuracyAndDifferenceInPercentAndPoints) {
  fernwood::testdata::expect_sentence(study_table(small_study(), false));
}

TEST(StudyJson, NamesTheOptionsThatDiffer) {
  const Json json = Json::parse(study_json(small_study()));
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("train"), (Json{{"folder", "rooms/<train>"}, {"frames", 1}}));
  EXPECT_EQ(json.at("base").at("options").at("trees"), 3);
  EXPECT_EQ(json.at("base").at("pixel_accuracy"), 0.6);
  const Json& variants = json.at("variants");
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[0].at("group"), "channels");
  EXPECT_EQ(variants[0].at("options"), (Json{{"channels", {"depth"}}}));
  EXPECT_NEAR(variants[0].at("pixel_difference"), -0.119, 1e-12);
  EXPECT_NEAR(variants[0].at("class_difference"), 0.125, 1e-12);
  EXPECT_EQ(variants[0].at("latency_ms"), 5);
  EXPECT_EQ(variants[0].at("train_seconds"), 1);
  EXPECT_EQ(variants[1].at("turned_degrees"), 15);
  EXPECT_EQ(variants[1].at("options"), Json::object());
  EXPECT_EQ(variants[2].at("problem"), "--cascade 2 is too much");
  EXPECT_FALSE(variants[2].contains("pixel_accuracy"));
}

TEST(StudyHtml, DrawsWhatCanBeChosenAndBarsUpToTenPoints) {
  const std::string html = study_page(small_study());
  for (const char* part : {"rooms/&lt;train&gt;", "<title>without lab: 5.00, 48.10</title>",
                           "<i class=\"less\" style=\"width:50.0%\"></i></span><span class=\"value\">-11.9</span>"})
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_EQ(html.find("<title>turned"), std::string::npos) << "how frames are held is not a choice";
}

TEST(StudyReport, FramesWithoutTruthHaveNoAccuracy) {
  Study study = small_study();
  study.base.accuracy = {std::nan(""), std::nan("")};
  EXPECT_TRUE(Json::parse(study_json(study)).at("base").at("pixel_accuracy").is_null());
  EXPECT_EQ(study_table(study, false).find("nan"), std::string::npos);
  EXPECT_EQ(study_page(study).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace fernwood::report
