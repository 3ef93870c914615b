// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "report/example_report.h"
#include "sentences.h"

namespace fernwood::report {
namespace {

using Json = nlohmann::json;
using evaluate::EvaluationReport;
using testdata::example_report;
using testdata::perfect_report;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (const char c : line) width += (c & 0xC0) != 0x80;
    widest = std::max(widest, width);
  }
  return widest;
}

TEST(EvaluationTable, ShowsEveryFigureInPercent) {
  // Percentages of the example: pixels 10 / 18 and 8 / 18; IoU 8 / 14 and 3 / 9; precision 8 / 12 and 3 / 4; void 8 /
  // 26; totals 11 / 18, 13 / 26, 13 / 20; rows of the matrix 8 1 1 0 of 10 and 4 3 0 1 of 8.
  EvaluationReport report = example_report();
  fernwood::testdata::expect_sentence(evaluation_table(report, false));
  report.classes.background = 1;
  report.metrics = compute_metrics(report.confusion, 1);
  report.device = "cuda:0, packed";
  fernwood::testdata::expect_sentence(evaluation_table(report, false));
}

TEST(EvaluationTable, ColorsOnlyWhenAskedAndChangesNoOtherCharacter) {
  const EvaluationReport report = example_report();
  const std::string plain = evaluation_table(report, false), colored = evaluation_table(report, true);
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(colored.find("\x1b[48;2;4;5;6m  \x1b[0m door"), std::string::npos) << "the class's colour";
  std::string stripped = std::regex_replace(colored, std::regex("\x1b\\[[0-9;]*m"), "");
  // The rest differs by three more columns, for the colours in front of the lines of classes.
  stripped = std::regex_replace(stripped, std::regex("\n   (class|floor|door |wall |     )"), "\n$1");
  EXPECT_EQ(stripped, plain);
}

TEST(EvaluationTable, ListsThePanopticQualityOfClassesWithSegments) {
  EvaluationReport report = example_report();
  report.panoptic = testdata::example_objects();
  const std::string text = evaluation_table(report, false);
  const std::size_t begin = text.find("panoptic"), end = text.find("confusion:");
  ASSERT_LT(begin, end);
  std::string table;  // with single blanks
  for (const char c : text.substr(begin, end - begin))
    if (c != ' ' || table.back() != ' ') table += c;
  EXPECT_EQ(table,
            "panoptic quality of 2 frames with instances; centre: mean error of matched objects\n"
            "objects PQ % SQ % RQ % true found matched centre m\n"
            "floor 75.0 75.0 100.0 2 2 2 -\n"
            "door 33.3 50.0 66.7 2 1 1 0.013\n"
            "things 33.3 50.0 66.7 2 1 1 0.013\n"
            "stuff 75.0 75.0 100.0 2 2 2 -\n"
            "all 54.2 62.5 83.3 4 3 3 0.013\n"
            "things, connected pixels 0.0 0.0 0.0 2 4 0 -\n"
            "things, true labels 100.0 100.0 100.0 2 2 2 -\n\n"
            "of a frame, on average: objects, visible area and its error; distance: error of the nearest\n"
            "measures true found true m2 found m2 error m2 distance m\n"
            "floor - - 2.000 1.750 0.350 0.015\n"
            "door 1.0 0.5 0.250 0.300 0.150 -\n\n");
}

TEST(EvaluationTable, FitsIntoAHundredColumns) {
  for (const std::size_t num_classes : {1u, 4u, 12u, 13u, 60u}) {
    EvaluationReport report = perfect_report(num_classes);
    report.dataset = std::string(300, 'x');
    report.classes.classes[0].name = "Küchengerät " + std::string(100, 'y');
    report.classes.background = 0;
    report.confusion.add(image::LabelImage(1, 1, 0), image::LabelImage(1, 1, image::kVoid));
    report.metrics = compute_metrics(report.confusion, 0);
    report.panoptic = evaluate::PanopticReport(std::vector<bool>(num_classes, true));
    report.panoptic->found[0] = {1'000'000, 1'000'000, 1'000'000, 1, 1'000'000, 1};
    EXPECT_LE(widest_line(evaluation_table(report, false)), 100u) << num_classes;
    const std::string colored = evaluation_table(report, true);
    EXPECT_LE(widest_line(std::regex_replace(colored, std::regex("\x1b\\[[0-9;]*m"), "")), 100u) << num_classes;
  }
}

TEST(EvaluationTable, HasTheMatrixUpToTwelveClasses) {
  const auto has_matrix = [](std::size_t num_classes) {
    return evaluation_table(perfect_report(num_classes), false).find("confusion:") != std::string::npos;
  };
  EXPECT_TRUE(has_matrix(12));
  EXPECT_FALSE(has_matrix(13));
}

TEST(EvaluationJson, HoldsEveryFigureUnderItsKey) {
  EvaluationReport report = example_report();
  report.device = "cpu, avx2";
  fernwood::testdata::expect_sentence(Json::parse(evaluation_json(report)).dump());
}

TEST(EvaluationJson, HoldsThePanopticQuality) {
  EvaluationReport report = example_report();
  EXPECT_TRUE(Json::parse(evaluation_json(report))["panoptic"].is_null());
  report.panoptic = testdata::example_objects();
  const Json panoptic = Json::parse(evaluation_json(report))["panoptic"];
  EXPECT_EQ(panoptic["frames"], 2);
  EXPECT_EQ(panoptic["things"], (Json{{"pq", 0.5 / 1.5},
                                      {"sq", 0.5},
                                      {"rq", 1 / 1.5},
                                      {"true", 2},
                                      {"found", 1},
                                      {"matched", 1},
                                      {"center_error_m", 0.013}}));
  EXPECT_EQ(panoptic["stuff"]["pq"], 0.75);
  EXPECT_EQ(panoptic["things_connected_pixels"]["pq"], 0);
  EXPECT_EQ(panoptic["things_true_labels"]["pq"], 1);
  const Json& classes = panoptic["classes"];
  EXPECT_EQ(classes[0]["thing"], false);
  EXPECT_TRUE(classes[0]["true_labels_pq"].is_null());
  EXPECT_EQ(classes[1]["name"], "door");
  EXPECT_EQ(classes[1]["true_labels_pq"], 1);
  EXPECT_EQ(classes[0]["true_area_m2"], 2);
  EXPECT_EQ(classes[0]["found_area_m2"], 1.75);
  EXPECT_EQ(classes[0]["area_error_m2"], 0.35);
  EXPECT_EQ(classes[0]["distance_error_m"], 0.015);
  EXPECT_TRUE(classes[1]["distance_error_m"].is_null());
  EXPECT_TRUE(classes[2]["pq"].is_null());
}

TEST(EvaluationJson, WritesNullForWhatWasNotCounted) {
  EvaluationReport report = testdata::perfect_report(1);
  report.frames = {{"void", std::nan(""), 1}};
  const Json j = Json::parse(evaluation_json(report));
  EXPECT_TRUE(j["frames_per_second"].is_null());
  EXPECT_TRUE(j["mean_frame_accuracy"].is_null());
  EXPECT_TRUE(j["frame_scores"][0]["pixel_accuracy"].is_null());
  EXPECT_EQ(j["without_background"],
            (Json{{"background", nullptr}, {"pixel_accuracy", nullptr}, {"class_accuracy", nullptr}}));
  const Json unseen = Json::parse(evaluation_json(example_report()))["classes"][2];
  EXPECT_TRUE(unseen["accuracy"].is_null() && unseen["iou"].is_null() && unseen["precision"].is_null());
  EXPECT_EQ(unseen["pixels"], 0);
}

TEST(EvaluationJson, IsIndentedAndSurvivesNamesThatAreNotUtf8) {
  EvaluationReport report = example_report();
  report.dataset = "caf\xe9";
  const std::string text = evaluation_json(report);
  EXPECT_TRUE(text.starts_with("{\n  \"schema_version\": 1,\n") && text.ends_with("\n}\n")) << text;
  EXPECT_EQ(Json::parse(text)["dataset"], "caf\xef\xbf\xbd");  // U+FFFD
}

}  // namespace
}  // namespace fernwood::report
