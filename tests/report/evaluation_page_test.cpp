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

TEST(EvaluationPage, ShowsHeadlineBarsAndMatrix) {
  const std::string html = evaluation_page(example_report());
  EXPECT_THAT(html, HasSubstr("<b>61.1 %</b><span class=\"soft\">pixel accuracy"));  // 11 / 18
  EXPECT_THAT(html, HasSubstr("<b>58.8 %</b><span class=\"soft\">class accuracy"));
  EXPECT_THAT(html, HasSubstr("background:#040506"));
  EXPECT_THAT(html, HasSubstr("style=\"width:37.5%\""));                  // accuracy of "door"
  EXPECT_THAT(html, HasSubstr("title=\"door as floor: 50.0 %\">50.0<"));  // rows are true classes
  EXPECT_THAT(html, HasSubstr("title=\"floor as door: 10.0 %\">10.0<"));
  EXPECT_THAT(html, HasSubstr("title=\"door as void: 12.5 %\">12.5<"));
}

TEST(EvaluationPage, EscapesEveryNameThatUsersChoose) {
  EvaluationReport report = example_report();
  report.model = "<m>";
  report.dataset = "<d>";
  report.classes.classes[1].name = "<c> & \"q\"";
  report.classes.background = 1;
  report.worst = {shown_frame("<w>", 0.1)};
  const std::string html = evaluation_page(report);
  for (const char* raw : {"<m>", "<d>", "<c>", "<w>"}) EXPECT_THAT(html, Not(HasSubstr(raw)));
  EXPECT_THAT(html, HasSubstr("&lt;c&gt; &amp; &quot;q&quot; as floor"));
  EXPECT_THAT(html, HasSubstr("without background (&lt;c&gt; &amp; &quot;q&quot;)"));
  EXPECT_THAT(html, HasSubstr("&lt;w&gt;: 10.0 %"));
}

TEST(EvaluationPage, HoldsItsPicturesAndLoadsNothing) {
  EvaluationReport report = example_report();
  EXPECT_THAT(evaluation_page(report), Not(HasSubstr("Worst frames")));
  report.worst = {shown_frame("hall", 0.25)};
  report.best = {shown_frame("attic", 0.75)};
  const std::string html = evaluation_page(report);
  EXPECT_THAT(html, HasSubstr("<img alt=\"hall, colour\" src=\"data:image/jpeg;base64,"));
  EXPECT_THAT(html, HasSubstr(flat_picture(Array2<image::Rgb>(1, 2, image::Rgb{1, 2, 3}), "attic, truth")));
  EXPECT_THAT(html, HasSubstr(flat_picture(Array2<image::Rgb>(1, 2, image::Rgb{7, 8, 9}), "attic, prediction")));
  EXPECT_THAT(html, Not(HasSubstr("hall, depth")));
  EXPECT_LT(html.find("Worst frames"), html.find("hall: 25.0 %"));
  EXPECT_LT(html.find("hall: 25.0 %"), html.find("Best frames"));
  EXPECT_LT(html.find("Best frames"), html.find("attic: 75.0 %"));
  for (const char* loaded : {"http:", "https:", "<script", "<link"}) EXPECT_THAT(html, Not(HasSubstr(loaded)));
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

TEST(EvaluationPageFeatures, SharesOfEachLevelAndOfAllSplits) {
  EvaluationReport report = example_report();
  report.forest = two_levels();
  const std::string html = evaluation_page(report);
  EXPECT_THAT(html, HasSubstr("<title>level 0, L: 100.0 %</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 1, L: 33.3 %</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 1, a - depth: 66.7 %</title>"));
  EXPECT_THAT(html, HasSubstr("<span class=\"swatch\" style=\"background:#96c369\"></span>L</td><td><span "
                              "class=\"bar\"><i style=\"width:60.0%;background:#96c369\">"));
  EXPECT_THAT(html, HasSubstr("a - depth</td><td><span class=\"bar\"><i style=\"width:40.0%;background:#0096e1\">"));
  EXPECT_THAT(html, Not(HasSubstr("other (")));
}

TEST(EvaluationPageFeatures, WhatIsBeyondSixteenPairsIsOther) {
  EvaluationReport report = example_report();
  report.forest = twenty_pairs();
  const std::string html = evaluation_page(report);
  EXPECT_THAT(html, HasSubstr("c16</td>"));
  EXPECT_THAT(html, Not(HasSubstr("c17")));
  // 4 + 3 + 2 + 1 of 210
  EXPECT_THAT(html, HasSubstr("<title>level 0, other (4): 4.8 %</title>"));
  EXPECT_THAT(html, HasSubstr("other (4)</td><td><span class=\"bar\"><i style=\"width:4.8%;background:#8b949c\">"));
}

TEST(EvaluationPageFeatures, AForestOfLeavesHasNoSplits) {
  EXPECT_THAT(evaluation_page(example_report()), HasSubstr("The model's trees have no splits."));
}

TEST(EvaluationPageTraining, OnACpuStagesAreThreadTimeByThreadsAndTheRestFillsTheWallClock) {
  const EvaluationReport report = example_report();
  const std::string html = evaluation_page(report, {training(false), ""});
  EXPECT_THAT(html, HasSubstr("Growing took 12.0 s on cpu, 2 threads, after 1.50 s for loading frames and 0.25 s"));
  EXPECT_THAT(html, HasSubstr("<title>level 0, feature response: 2.0 s</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 0, impurity score: 1.0 s</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 0, waiting, and the rest: 3.0 s</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 1, finding bins: 1.0 s</title>"));
  EXPECT_THAT(html, Not(HasSubstr("histogram aggregation"))) << "it took no time";
  // 4 of 11 s
  EXPECT_THAT(html, HasSubstr("feature response</td><td><span class=\"bar\"><i style=\"width:36.4%;"));
  EXPECT_THAT(html, HasSubstr("<td class=\"num\">4.00 s</td>"));
}

TEST(EvaluationPageTraining, OnAGpuStagesAreKernelTime) {
  const EvaluationReport report = example_report();
  const std::string html = evaluation_page(report, {training(true), ""});
  EXPECT_THAT(html, HasSubstr("on cuda:0, NVIDIA &lt;H&gt;, after"));
  EXPECT_THAT(html, HasSubstr("<title>level 0, feature response: 4.0 s</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 0, impurity score: 2.0 s</title>"));
  EXPECT_THAT(html, Not(HasSubstr("no kernel at work: "))) << "kernels took all of the levels, and more";
}

TEST(EvaluationPageTraining, OfSeveralRanksSaysWhoWaitedForWhom) {
  train::TrainReport of_ranks = training(false);
  EXPECT_THAT(evaluation_page(example_report(), {of_ranks, ""}), Not(HasSubstr("Who waited for whom")));
  of_ranks.parallel = "features";
  of_ranks.ranks = {{20, 2, 2048}, {20, 15, 0}};
  const std::string html = evaluation_page(example_report(), {of_ranks, ""});
  EXPECT_THAT(html, HasSubstr("2 ranks divided features."));
  EXPECT_THAT(html, HasSubstr("<title>rank 0, working: 18.0 s</title>"));
  EXPECT_THAT(html, HasSubstr("<title>rank 1, exchanging: 15.0 s</title>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"num\">1</td><td class=\"num\">5.00 s</td><td class=\"num\">15.0 s</td>"));
  EXPECT_THAT(html, HasSubstr("2.0 KiB"));
}

TEST(EvaluationPageTraining, SaysWhyItIsNotKnown) {
  EvaluationReport report = example_report();
  EXPECT_THAT(evaluation_page(report), Not(HasSubstr("Time of training")));
  EXPECT_THAT(evaluation_page(report, {{}, "a.report.json: is <damaged>"}),
              HasSubstr("<h2>Time of training</h2>\n<p class=\"soft\">a.report.json: is "
                        "&lt;damaged&gt;</p>"));
  train::TrainReport empty = training(false);
  empty.levels.clear();
  EXPECT_THAT(evaluation_page(report, {empty, ""}), HasSubstr("The report of the training holds no level."));
}

}  // namespace
}  // namespace fernwood::report
