// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "fernwood/report/evaluation.h"
#include "page/charts.h"
#include "sentences.h"

namespace fernwood::report {
namespace {

using testing::HasSubstr;

/// Three frames of one recording, labelled in one way: 25 of 200 pixels flicker, and of 4 places 2 are correct at once,
/// 1 after two frames and 1 never.
evaluate::SequenceReport example_sequence() {
  evaluate::SequenceReport report;
  report.model = "m.fernwood";
  report.recording = "a <recording>";
  report.device = "cpu";
  report.classes.classes = {{"wall", {255, 0, 0}}, {"thing", {0, 255, 0}}};
  report.frames = {"frame0", "frame1", "frame2"};
  report.num_with_truth = 3;
  report.num_pairs = 2;
  report.seen_twice = {200, 400};
  report.fit = {200, 250};
  report.changed_places = 4;
  evaluate::SequenceScore& score = report.scores.emplace_back();
  score.name = "single";
  score.flicker = {25, 200};
  score.confusion = Confusion(2);
  image::LabelImage truth(1, 4, 0), labels(1, 4, 0);
  truth(0, 3) = 1;
  score.confusion.add(truth, labels);
  score.metrics = compute_metrics(score.confusion, {});
  score.lag.add(0);
  score.lag.add(0);
  score.lag.add(2);
  score.lag.lost = 1;
  score.shadow[0] = {1, 4};
  score.frame_flicker = {NAN, 0.25, 0};
  score.frame_accuracy = {1, 0.5, 0.75};
  score.seconds = 0.3;
  return report;
}

TEST(SequenceTable, HasALineForEachWayOfLabelling) {
  // flicker 25 / 200, pixel 3 / 4, class (1 + 0) / 2, lag (0 + 0 + 2) / 3, lost 1 / 4, shadow 1 / 4, 300 ms / 3
  evaluate::SequenceReport report = example_sequence();
  report.scores.push_back(report.scores[0]);
  report.scores.back().name = "steady, poses";
  fernwood::testdata::expect_sentence(sequence_table(report, false));
  report.num_with_truth = 0;
  fernwood::testdata::expect_sentence(sequence_table(report, false));
}

TEST(SequenceJson, HasAllNumbersAndNullWhereNothingWasCounted) {
  fernwood::testdata::expect_sentence(nlohmann::json::parse(sequence_json(example_sequence())).dump());
}

}  // namespace
}  // namespace fernwood::report
