// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/example_report.h"

// What the page tells of the model: the channels of its splits, and the time of its training.

namespace fernwood::evaluate {
namespace {

using testdata::example_report;
using testing::HasSubstr;
using testing::Not;

/// Ten splits of two levels: 4 + 2 of L alone, 4 of the others.
forest::ForestSummary two_levels() {
  forest::ForestSummary forest;
  forest.splits_by_level = {4, 6};
  forest.channel_pairs = {{"L", "", 6, {4, 2}}, {"a", "depth", 4, {0, 4}}};
  return forest;
}

/// Twenty pairs with 21 - i splits each, all in the root's level.
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

TEST(ReportHtmlFeatures, SharesOfEachLevelAndOfAllSplits) {
  EvaluationReport report = example_report();
  report.forest = two_levels();
  const std::string html = report_html(report);
  EXPECT_THAT(html, HasSubstr("<title>level 0, L: 100.0 %</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 1, L: 33.3 %</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 1, a - depth: 66.7 %</title>"));
  EXPECT_THAT(html, HasSubstr("<span class=\"swatch\" style=\"background:#3284d0\"></span>L</td><td><span "
                              "class=\"bar\"><i style=\"width:60.0%;background:#3284d0\">"));
  EXPECT_THAT(html, HasSubstr("a - depth</td><td><span class=\"bar\"><i style=\"width:40.0%;background:#be6517\">"));
  EXPECT_THAT(html, Not(HasSubstr("other (")));
}

TEST(ReportHtmlFeatures, WhatIsBeyondSixteenPairsIsOther) {
  EvaluationReport report = example_report();
  report.forest = twenty_pairs();
  const std::string html = report_html(report);
  EXPECT_THAT(html, HasSubstr("c16</td>"));
  EXPECT_THAT(html, Not(HasSubstr("c17")));
  // 4 + 3 + 2 + 1 of 210
  EXPECT_THAT(html, HasSubstr("<title>level 0, other (4): 4.8 %</title>"));
  EXPECT_THAT(html, HasSubstr("other (4)</td><td><span class=\"bar\"><i style=\"width:4.8%;background:#8b949c\">"));
}

TEST(ReportHtmlFeatures, AForestOfLeavesHasNoSplits) {
  EXPECT_THAT(report_html(example_report()), HasSubstr("The model's trees have no splits."));
}

TEST(ReportHtmlTraining, OnACpuStagesAreThreadTimeByThreadsAndTheRestFillsTheWallClock) {
  EvaluationReport report = example_report();
  report.training = training(false);
  const std::string html = report_html(report);
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

TEST(ReportHtmlTraining, OnAGpuStagesAreKernelTime) {
  EvaluationReport report = example_report();
  report.training = training(true);
  const std::string html = report_html(report);
  EXPECT_THAT(html, HasSubstr("on cuda:0, NVIDIA &lt;H&gt;, after"));
  EXPECT_THAT(html, HasSubstr("<title>level 0, feature response: 4.0 s</title>"));
  EXPECT_THAT(html, HasSubstr("<title>level 0, impurity score: 2.0 s</title>"));
  EXPECT_THAT(html, Not(HasSubstr("no kernel at work: "))) << "kernels took all of the levels, and more";
}

TEST(ReportHtmlTraining, SaysWhyItIsNotKnown) {
  EvaluationReport report = example_report();
  EXPECT_THAT(report_html(report), Not(HasSubstr("Time of training")));
  report.no_training = "a.report.json: is <damaged>";
  EXPECT_THAT(report_html(report), HasSubstr("<h2>Time of training</h2>\n<p class=\"soft\">a.report.json: is "
                                             "&lt;damaged&gt;</p>"));
  report.training = training(false);
  report.training->levels.clear();
  EXPECT_THAT(report_html(report), HasSubstr("The report of the training holds no level."));
}

}  // namespace
}  // namespace fernwood::evaluate
