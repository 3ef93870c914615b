// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "evaluate/example_report.h"

namespace fernwood::evaluate {
namespace {

using nlohmann::json;
using testdata::example_report;

TEST(ReportJson, HoldsEveryFigureUnderItsKey) {
  EvaluationReport report = example_report();
  report.device = "cpu, avx2";
  const json j = json::parse(report_json(report));
  EXPECT_EQ(j["schema_version"], 1);
  EXPECT_EQ(j["device"], "cpu, avx2");
  EXPECT_EQ(j["model"], "rooms.fernwood");
  EXPECT_EQ(j["dataset"], "rooms/test");
  EXPECT_EQ(j["frames"], 2);
  EXPECT_EQ(j["seconds"], 0.5);
  EXPECT_EQ(j["frames_per_second"], 4.0);
  EXPECT_DOUBLE_EQ(j["pixel_accuracy"], 11.0 / 18);
  EXPECT_DOUBLE_EQ(j["class_accuracy"], (0.8 + 0.375) / 2);
  EXPECT_DOUBLE_EQ(j["mean_iou"], (8.0 / 14 + 3.0 / 9) / 2);
  EXPECT_EQ(j["mean_frame_accuracy"], 0.5);
  EXPECT_DOUBLE_EQ(j["with_void"]["pixel_accuracy"], 0.5);
  EXPECT_DOUBLE_EQ(j["with_void"]["class_accuracy"], (0.8 + 0.375 + 0.25) / 3);
  EXPECT_EQ(j["without_background"]["background"], "void");
  EXPECT_DOUBLE_EQ(j["without_background"]["pixel_accuracy"], 13.0 / 20);
  EXPECT_EQ(j["labelled_pixels"], 18);
  EXPECT_EQ(j["void_pixels"], 8);
  EXPECT_EQ(j["void_predictions"], 1);
  EXPECT_EQ(j["frame_scores"][0], (json{{"name", "one"}, {"pixel_accuracy", 0.5}, {"void_share", 0.25}}));
  EXPECT_EQ(j["classes"][1],
            (json{{"name", "door"}, {"accuracy", 0.375}, {"iou", 3.0 / 9}, {"precision", 0.75}, {"pixels", 8}}));
}

TEST(ReportJson, ConfusionHasTruthInRowsAndNoVoid) {
  const json j = json::parse(report_json(example_report()));
  EXPECT_EQ(j["confusion"], (json{{8, 1, 1}, {4, 3, 0}, {0, 0, 0}}));
}

TEST(ReportJson, WritesNullForWhatWasNotCounted) {
  EvaluationReport report = testdata::perfect_report(1);
  report.frames = {{"void", std::nan(""), 1}};
  const json j = json::parse(report_json(report));
  EXPECT_TRUE(j["frames_per_second"].is_null());
  EXPECT_TRUE(j["mean_frame_accuracy"].is_null());
  EXPECT_TRUE(j["frame_scores"][0]["pixel_accuracy"].is_null());
  EXPECT_EQ(j["without_background"],
            (json{{"background", nullptr}, {"pixel_accuracy", nullptr}, {"class_accuracy", nullptr}}));
  const json unseen = json::parse(report_json(example_report()))["classes"][2];
  EXPECT_TRUE(unseen["accuracy"].is_null() && unseen["iou"].is_null() && unseen["precision"].is_null());
  EXPECT_EQ(unseen["pixels"], 0);
}

TEST(ReportJson, IsIndentedAndSurvivesNamesThatAreNotUtf8) {
  EvaluationReport report = example_report();
  report.dataset = "caf\xe9";
  const std::string text = report_json(report);
  EXPECT_THAT(text, testing::StartsWith("{\n  \"schema_version\": 1,\n"));
  EXPECT_THAT(text, testing::EndsWith("\n}\n"));
  EXPECT_EQ(json::parse(text)["dataset"], "caf\xef\xbf\xbd");  // U+FFFD
}

}  // namespace
}  // namespace fernwood::evaluate
