// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"
#include "fernwood/report/evaluation.h"

namespace fernwood::report {

using evaluate::SequenceReport, evaluate::SequenceScore;

namespace {

double lost_share(const SequenceScore& score) {
  return evaluate::PixelCount{score.lag.lost, score.lag.lost + score.lag.num_right()}.share();
}

double milliseconds(const SequenceReport& report, const SequenceScore& score) {
  return 1000 * score.seconds / static_cast<double>(report.frames.size());
}

std::string frames_text(const SequenceReport& report) {
  return counted(report.frames.size(), "frame") + " of " + counted(report.num_recordings, "recording") + ", " +
         format_count(report.num_pairs) + " compared with the one before";
}

std::string seen_text(const SequenceReport& report) {
  return percent(report.seen_twice.share()) + " % of pixels; depths fit poses at " + percent(report.fit.share()) +
         " % of places";
}

std::string truth_text(const SequenceReport& report) {
  if (report.num_with_truth == 0) return "none, so accuracy, lag and shadows are not known";
  return counted(report.num_with_truth, "frame") + ", " + counted(report.changed_places, "place") + " changed";
}

struct ScoreColumn {
  std::string heading;
  std::size_t width;
  std::string (*text)(const SequenceReport& report, const SequenceScore& score);
};

const std::vector<ScoreColumn>& score_columns() {
  // Shadows 1, 5 and 10 frames after an object has left.
  static const std::vector<ScoreColumn> kColumns = {
      {"flicker %", 10, [](const auto&, const auto& score) { return percent(score.flicker.share(), 2); }},
      {"pixel %", 8, [](const auto&, const auto& score) { return percent(score.metrics.without_void.pixel); }},
      {"class %", 8, [](const auto&, const auto& score) { return percent(score.metrics.without_void.class_average); }},
      {"lag", 6, [](const auto&, const auto& score) { return fixed(score.lag.mean(), 2); }},
      {"median", 7, [](const auto&, const auto& score) { return fixed(score.lag.median(), 0); }},
      {"worst", 6, [](const auto&, const auto& score) { return fixed(score.lag.worst(), 0); }},
      {"lost %", 7, [](const auto&, const auto& score) { return percent(lost_share(score)); }},
      {"shadow 1", 9, [](const auto&, const auto& score) { return percent(score.shadow[0].share()); }},
      {"5", 6, [](const auto&, const auto& score) { return percent(score.shadow[4].share()); }},
      {"10 %", 6, [](const auto&, const auto& score) { return percent(score.shadow[9].share()); }},
      {"ms", 7, [](const auto& report, const auto& score) { return fixed(milliseconds(report, score), 1); }},
  };
  return kColumns;
}

Json score_json(const SequenceReport& report, const SequenceScore& score) {
  Json shadow = Json::array(), frames = Json::array();
  for (const evaluate::PixelCount& count : score.shadow) shadow.push_back(count.share());
  for (std::size_t i = 0; i < report.frames.size(); ++i)
    frames.push_back(
        {{"name", report.frames[i]}, {"flicker", score.frame_flicker[i]}, {"pixel_accuracy", score.frame_accuracy[i]}});
  return {{"name", score.name},
          {"flicker", score.flicker.share()},
          {"pixel_accuracy", score.metrics.without_void.pixel},
          {"class_accuracy", score.metrics.without_void.class_average},
          {"mean_iou", score.metrics.mean_iou},
          {"lag",
           {{"mean", score.lag.mean()},
            {"median", score.lag.median()},
            {"worst", score.lag.worst()},
            {"places", score.lag.num_right()},
            {"lost", score.lag.lost}}},
          {"shadow", shadow},
          {"seconds", score.seconds},
          {"frames", frames}};
}

}  // namespace

std::string sequence_table(const SequenceReport& report, bool color) {
  const Painter painter{color};
  std::string out = facts({{"model", report.model},
                           {"recording", report.recording},
                           {"device", report.device},
                           {"frames", frames_text(report)},
                           {"seen twice", seen_text(report)},
                           {"truth", truth_text(report)}},
                          12, painter, kMaxColumns);
  std::vector<TextColumn> columns = {left("labels", 13)};
  for (const ScoreColumn& column : score_columns()) columns.push_back(right(column.heading, column.width));
  TextTable table(columns, painter);
  for (const SequenceScore& score : report.scores) {
    std::vector<TextCell> cells = {score.name};
    for (const ScoreColumn& column : score_columns()) cells.emplace_back(column.text(report, score));
    table.row(cells);
  }
  return out + "\n" + table.text();
}

std::string sequence_json(const SequenceReport& report) {
  Json scores = Json::array();
  for (const SequenceScore& score : report.scores) scores.push_back(score_json(report, score));
  return dump({{"schema_version", 1},
               {"model", report.model},
               {"recording", report.recording},
               {"device", report.device},
               {"recordings", report.num_recordings},
               {"frames", report.frames.size()},
               {"frames_with_truth", report.num_with_truth},
               {"frames_compared", report.num_pairs},
               {"seen_twice", report.seen_twice.share()},
               {"fit", report.fit.share()},
               {"changed_places", report.changed_places},
               {"warnings", report.warnings},
               {"labels", scores}});
}

}  // namespace fernwood::report
