// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/optimized.h"

#include "core/text_table.h"
#include "fernwood/core/text.h"

namespace fernwood::report {

namespace {

constexpr std::size_t kScoresWidth = 44;

std::vector<TextCell> scores_row(const std::string& name, const tune::LabelScores& scores) {
  return {name, percent(scores.pixel), percent(scores.class_average), percent(scores.mean_iou)};
}

Json scores_json(const tune::LabelScores& scores) {
  return {{"pixel_accuracy", scores.pixel}, {"class_accuracy", scores.class_average}, {"mean_iou", scores.mean_iou}};
}

Json weighed_json(const tune::WeighedLabels& labels) {
  return {{"weights", or_null(labels.weights)},
          {"before", scores_json(labels.before)},
          {"after", scores_json(labels.after)}};
}

}  // namespace

std::string optimized_lines(const tune::OptimizeReport& optimized, const forest::Forest& forest) {
  TextTable table({left("labels of the " + counted(optimized.frames_left_out, "frame") + " left out", kScoresWidth),
                   right("pixel %", 8), right("class %", 8), right("IoU %", 8)});
  const std::string smooth = "--smooth " + std::to_string(optimized.smooth_px);
  table.row(scores_row("equal weights", optimized.plain.before));
  table.row(scores_row("weights", optimized.plain.after));
  table.row(scores_row("equal weights, " + smooth, optimized.smoothed.before));
  table.row(scores_row("weights, " + smooth, optimized.smoothed.after));
  const auto weights = [&](const tune::WeighedLabels& labels) {
    return labels.weights.empty() ? "equal: others gained nothing"
                                  : named_numbers(forest.classes.names(), labels.weights);
  };
  return "\n" + table.text() +
         facts({{"weights", weights(optimized.plain)}, {"smoothed", weights(optimized.smoothed)}}, 9);
}

Json optimized_json(const tune::OptimizeReport& optimized) {
  return {{"goal", to_string(optimized.goal)},
          {"frames", optimized.frames},
          {"frames_left_out", optimized.frames_left_out},
          {"pixels", optimized.pixels},
          {"seconds_growing", optimized.seconds_growing},
          {"seconds_choosing", optimized.seconds_choosing},
          {"plain", weighed_json(optimized.plain)},
          {"smoothed", weighed_json(optimized.smoothed)},
          {"smooth", optimized.smooth_px}};
}

}  // namespace fernwood::report
