// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "evaluate/format.h"
#include "fernwood/evaluate/report.h"

namespace fernwood::evaluate {
namespace {

using Json = nlohmann::ordered_json;  // it writes NaN as null

Json accuracy_json(const forest::Accuracy& accuracy) {
  return {{"pixel_accuracy", accuracy.pixel}, {"class_accuracy", accuracy.class_average}};
}

Json without_background_json(const EvaluationReport& report) {
  if (!report.metrics.without_background)
    return {{"background", nullptr}, {"pixel_accuracy", nullptr}, {"class_accuracy", nullptr}};
  Json json = {{"background", report.background_name()}};
  json.update(accuracy_json(*report.metrics.without_background));
  return json;
}

Json classes_json(const EvaluationReport& report) {
  Json classes = Json::array();
  for (std::size_t c = 0; c < report.classes.size(); ++c)
    classes.push_back({{"name", report.classes.classes[c].name},
                       {"accuracy", report.metrics.class_accuracy[c]},
                       {"iou", report.metrics.class_iou[c]},
                       {"precision", report.metrics.class_precision[c]},
                       {"pixels", report.confusion.truth_pixels(c)}});
  return classes;
}

Json confusion_json(const Confusion& confusion) {
  Json rows = Json::array();
  for (std::size_t t = 0; t < confusion.num_classes(); ++t) {
    Json row = Json::array();
    for (std::size_t p = 0; p < confusion.num_classes(); ++p) row.push_back(confusion.count(t, p));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json frame_scores_json(const std::vector<FrameScore>& frames) {
  Json scores = Json::array();
  for (const FrameScore& frame : frames)
    scores.push_back(
        {{"name", frame.name}, {"pixel_accuracy", frame.pixel_accuracy}, {"void_share", frame.void_share}});
  return scores;
}

}  // namespace

std::string report_json(const EvaluationReport& report) {
  const Metrics& metrics = report.metrics;
  Json json = {{"schema_version", 1}, {"model", report.model}, {"dataset", report.dataset}, {"device", report.device}};
  json["frames"] = report.frames.size();
  json["seconds"] = report.seconds;
  json["frames_per_second"] = report.frames_per_second();
  json["pixel_accuracy"] = metrics.without_void.pixel;
  json["class_accuracy"] = metrics.without_void.class_average;
  json["mean_iou"] = metrics.mean_iou;
  json["mean_frame_accuracy"] = report.mean_frame_accuracy();
  json["with_void"] = accuracy_json(metrics.all);
  json["without_background"] = without_background_json(report);
  json["labelled_pixels"] = metrics.labelled_pixels;
  json["void_pixels"] = metrics.void_pixels;
  json["void_predictions"] = void_predictions(report.confusion);
  json["classes"] = classes_json(report);
  json["confusion"] = confusion_json(report.confusion);
  json["frame_scores"] = frame_scores_json(report.frames);
  // File names need not be UTF-8, JSON must be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fernwood::evaluate
