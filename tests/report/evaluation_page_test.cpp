// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page/page.h"
#include "report/example_report.h"
#include "report/pictures.h"

namespace fernwood::report {
namespace {

using evaluate::EvaluationReport;
using testdata::example_report;
using testing::HasSubstr;
using testing::Not;

/// Two floor pixels predicted as wall.
evaluate::ShownFrame shown_frame(const std::string& name, double accuracy) {
  return {name,
          accuracy,
          {Array2<image::Rgb>(1, 2, image::Rgb{9, 9, 9}), {}},
          image::LabelImage(1, 2, 0),
          image::LabelImage(1, 2, 2)};
}

train::TrainReport training(bool on_gpu) {
  train::TrainReport report;
  report.seconds_growing = 12;
  report.seconds_loading = 1.5;
  report.seconds_sampling = 0.25;
  report.threads = 2;
  report.device = on_gpu ? "cuda:0" : "cpu";
  if (on_gpu) report.gpu.name = "NVIDIA <H>";
  report.levels = {{0, 0, 1, 100, 1000, 2.0, {.respond = 2, .score = 1}},
                   {1, 0, 1, 100, 1000, 4.0, {.respond = 2, .score = 1}},
                   {1, 1, 2, 100, 1000, 5.0, {.respond = 4, .bin = 2}}};
  return report;
}

TEST(EvaluationPage, ShowsHeadlineBarsAndMatrix) {
  const std::string html = evaluation_page(example_report());
  for (const char* part :
       {"<b>61.1 %</b>",                                                       // pixel accuracy, 11 / 18
        "style=\"width:37.5%\"",                                               // accuracy of "door"
        "title=\"door as floor: 50.0 %\"", "title=\"floor as door: 10.0 %\"",  // rows are true classes
        "title=\"door as void: 12.5 %\""})
    EXPECT_THAT(html, HasSubstr(part));
}

TEST(EvaluationPage, HasASectionOfObjectsWhereTheyWereEvaluated) {
  EvaluationReport report = example_report();
  EXPECT_THAT(evaluation_page(report), Not(HasSubstr("<h2>Objects</h2>")));
  report.panoptic = testdata::example_objects();
  for (const char* part :
       {"<h2>Objects</h2>", "In 2 frames with instances", "0.013 m", "things, true labels", "1.750 m²"})
    EXPECT_THAT(evaluation_page(report), HasSubstr(part));
}

TEST(EvaluationPage, EscapesEveryNameThatUsersChoose) {
  EvaluationReport report = example_report();
  report.panoptic = testdata::example_objects();
  report.model = "<m>";
  report.dataset = "<d>";
  report.classes.classes[1].name = "<c> & \"q\"";
  report.classes.background = 1;
  report.worst = {shown_frame("<w>", 0.1)};
  const std::string html = evaluation_page(report, {training(true), ""}) + evaluation_page(report, {{}, "<r>"});
  for (const char* raw : {"<m>", "<d>", "<c>", "<w>", "<r>", "<H>"})
    EXPECT_EQ(html.find(raw), std::string::npos) << raw;
  EXPECT_THAT(html, HasSubstr("&lt;c&gt; &amp; &quot;q&quot; as floor"));
}

TEST(EvaluationPage, HoldsItsPicturesAndLoadsNothing) {
  EvaluationReport report = example_report();
  report.worst = {shown_frame("hall", 0.25)};
  report.best = {shown_frame("attic", 0.75)};
  const std::string html = evaluation_page(report);
  EXPECT_THAT(html, HasSubstr(flat_picture(Array2<image::Rgb>(1, 2, image::Rgb{1, 2, 3}), "attic, truth")));
  EXPECT_THAT(html, HasSubstr(flat_picture(Array2<image::Rgb>(1, 2, image::Rgb{7, 8, 9}), "attic, prediction")));
  EXPECT_LT(html.find("hall: 25.0 %"), html.find("attic: 75.0 %")) << "the worst first";
  for (const char* part : {"hall, depth", "http:", "https:", "<script", "<link"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST(EvaluationPage, ACellLeadsToTheFrameWhereItIsMostFrequent) {
  EvaluationReport report = example_report();
  const auto small = [](std::size_t frame, std::uint16_t second) {
    return evaluate::SmallFrame{frame, Array2<image::Rgb>(1, 2, image::Rgb{100, 100, 100}), image::LabelImage(1, 2, 1),
                                image::LabelImage(1, 2, second)};
  };
  report.small = {small(0, 1), small(1, 0)};
  report.small[0].predicted(0, 0) = 0;
  const std::string html = evaluation_page(report);
  EXPECT_THAT(html, HasSubstr("<a href=\"#as-1-0\">50.0</a>"));
  EXPECT_THAT(html, HasSubstr("door as floor is most frequent in <a href=\"#frame-1\">two</a>"));
  EXPECT_THAT(html, HasSubstr(flat_picture(Array2<image::Rgb>(1, 2, image::Rgb{230, 20, 30}), "two, door as floor")));
  Array2<image::Rgb> half_wrong(1, 2, image::Rgb{104, 104, 104});
  half_wrong(0, 0) = {230, 20, 30};
  EXPECT_THAT(html, HasSubstr("<figure id=\"frame-0\">" + flat_picture(half_wrong, "one, wrong")));
  EXPECT_THAT(html, Not(HasSubstr("#as-0-1"))) << "no frame has that";
}

TEST(EvaluationPage, LeavesNumbersOutOfALargeMatrix) {
  EXPECT_THAT(evaluation_page(testdata::perfect_report(20)), HasSubstr("class 3 as class 3: 100.0 %\">100.0<"));
  EXPECT_THAT(evaluation_page(testdata::perfect_report(21)), HasSubstr("class 3 as class 3: 100.0 %\"></td>"));
}

/// Ten splits on two levels: 4 + 2 of L only, 4 of the other pair.
forest::ForestSummary two_levels() {
  forest::ForestSummary forest;
  forest.splits_by_level = {4, 6};
  forest.channel_pairs = {{"L", "", 6, {4, 2}}, {"a", "depth", 4, {0, 4}}};
  return forest;
}

/// Twenty channel pairs with 21 - i splits each, all on the root's level.
forest::ForestSummary twenty_pairs() {
  forest::ForestSummary forest;
  forest.splits_by_level = {210};
  for (std::uint64_t i = 1; i <= 20; ++i)
    forest.channel_pairs.push_back({"c" + std::to_string(i), "", 21 - i, {21 - i}});
  return forest;
}

TEST(EvaluationPageFeatures, SharesOfEachLevelAndOfAllSplits) {
  EvaluationReport report = example_report();
  report.forest = two_levels();
  const std::string html = evaluation_page(report);
  for (const char* part : {"<title>level 0, L: 100.0 %</title>", "<title>level 1, L: 33.3 %</title>",
                           "<title>level 1, a - depth: 66.7 %</title>", "width:60.0%;background:#96c369"})
    EXPECT_THAT(html, HasSubstr(part));
}

TEST(EvaluationPageFeatures, WhatIsBeyondSixteenPairsIsOther) {
  EvaluationReport report = example_report();
  report.forest = twenty_pairs();
  const std::string html = evaluation_page(report);
  EXPECT_EQ(html.find("c17"), std::string::npos);
  EXPECT_THAT(html, HasSubstr("<title>level 0, other (4): 4.8 %</title>"));  // 4 + 3 + 2 + 1 of 210
}

TEST(EvaluationPageTraining, OnACpuStagesAreThreadTimeByThreadsAndTheRestFillsTheWallClock) {
  const std::string html = evaluation_page(example_report(), {training(false), ""});
  for (const char* part :
       {"<title>level 0, feature response: 2.0 s</title>", "<title>level 0, impurity score: 1.0 s</title>",
        "<title>level 0, waiting, and the rest: 3.0 s</title>", "<title>level 1, finding bins: 1.0 s</title>",
        "width:36.4%;"})  // 4 of 11 s
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_EQ(html.find("histogram aggregation"), std::string::npos) << "it took no time";
}

TEST(EvaluationPageTraining, OnAGpuStagesAreKernelTime) {
  EXPECT_THAT(evaluation_page(example_report(), {training(true), ""}),
              HasSubstr("<title>level 0, feature response: 4.0 s</title>"));
}

TEST(EvaluationPageTraining, OfSeveralRanksSaysWhoWaitedForWhom) {
  train::TrainReport of_ranks = training(false);
  of_ranks.parallel = "features";
  of_ranks.ranks = {{20, 2, 2048}, {20, 15, 0}};
  const std::string html = evaluation_page(example_report(), {of_ranks, ""});
  EXPECT_THAT(html, HasSubstr("<title>rank 0, working: 18.0 s</title>"));
  EXPECT_THAT(html, HasSubstr("<title>rank 1, exchanging: 15.0 s</title>"));
}

}  // namespace
}  // namespace fernwood::report
