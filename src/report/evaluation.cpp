// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/evaluation.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"
#include "report/panoptic_means.h"

namespace fernwood::report {

using evaluate::EvaluationReport;
using evaluate::PanopticQuality;
using evaluate::PanopticReport;
using evaluate::SegmentCounts;

namespace {

constexpr std::size_t kMaxMatrixClasses = 12;

TextCell graded(double share) {
  return {percent(share), std::isnan(share) ? "2" : share >= 0.75 ? "32" : share < 0.25 ? "31" : ""};
}

std::size_t name_width(const EvaluationReport& report, std::size_t at_most) {
  std::size_t width = 5;  // "class"
  for (const image::ClassInfo& c : report.classes.classes) width = std::max(width, width_of(c.name));
  return std::min(width, at_most);
}

std::size_t swatch_width(const Painter& painter) { return painter.color ? 3 : 0; }

/// Two columns in a class's colour, followed by a blank; empty without colours.
std::string swatch_text(const Painter& painter, image::Rgb c) {
  if (!painter.color) return "";
  return painter.paint("  ", "48;2;" + std::to_string(c.r) + ";" + std::to_string(c.g) + ";" + std::to_string(c.b)) +
         " ";
}

std::string heading(const EvaluationReport& report, const Painter& painter) {
  const Metrics& metrics = report.metrics;
  return facts(
      {{"model", report.model},
       {"data set", report.dataset},
       {"device", report.device},
       {"frames", format_count(report.frames.size()) + ", " + fixed(report.frames_per_second(), 1) +
                      " per second; mean pixel accuracy of a frame " + percent(report.mean_frame_accuracy()) + " %"},
       {"pixels",
        format_count(metrics.labelled_pixels) + " labelled, " + percent(metrics.void_share()) + " % of all are void"}},
      10, painter, kMaxColumns);
}

std::string class_rows(const EvaluationReport& report, const Painter& painter) {
  const Metrics& metrics = report.metrics;
  TextTable table({left("class", name_width(report, 40)), right("pixels %", 10), right("accuracy", 10), right("IoU", 7),
                   right("precision", 11)},
                  painter, swatch_width(painter));
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    const image::ClassInfo& info = report.classes.classes[c];
    table.row({info.name, percent(fernwood::ratio(report.confusion.truth_pixels(c), metrics.labelled_pixels)),
               graded(metrics.class_accuracy[c]), graded(metrics.class_iou[c]), graded(metrics.class_precision[c])},
              "", swatch_text(painter, info.color));
  }
  return table.text();
}

std::string totals(const EvaluationReport& report, const Painter& painter) {
  const Metrics& metrics = report.metrics;
  TextTable table({left("accuracy %", 40), right("pixel", 8), right("class", 8), right("mean IoU", 9)}, painter);
  const auto row = [&](const std::string& name, const Accuracy& accuracy, const std::string& iou = "") {
    table.row({name, percent(accuracy.pixel), percent(accuracy.class_average), iou}, iou.empty() ? "" : "1");
  };
  row("without void", metrics.without_void, percent(metrics.mean_iou));
  row("with void as a class", metrics.all);
  if (metrics.without_background)
    row("without background (" + clip(report.background_name(), 19) + ")", *metrics.without_background);
  return table.text();
}

std::string style_of_cell(double share, bool diagonal) {
  if (diagonal) return "1;32";
  return share >= 0.1 ? "33" : share >= 0.0005 ? "" : "2";
}

std::string confusion_matrix(const EvaluationReport& report, const Painter& painter) {
  const Array2<double> shares = report.confusion.row_shares();
  const std::size_t names = name_width(report, 18);
  const std::size_t room = (kMaxColumns - swatch_width(painter) - names) / shares.cols();
  std::vector<TextColumn> columns = {left("", names)};
  for (std::size_t p = 0; p < shares.cols(); ++p)
    columns.push_back(right(p < report.classes.size() ? report.classes.classes[p].name : "void",
                            std::min(room - 1, std::max<std::size_t>(names, 5) + 1)));
  TextTable table(columns, painter, swatch_width(painter));
  for (std::size_t t = 0; t < shares.rows(); ++t) {
    const image::ClassInfo& info = report.classes.classes[t];
    std::vector<TextCell> cells = {info.name};
    for (std::size_t p = 0; p < shares.cols(); ++p)
      cells.emplace_back(percent(shares(t, p)), style_of_cell(shares(t, p), t == p));
    table.row(cells, "", swatch_text(painter, info.color));
  }
  return painter.dim("confusion: of the pixels of a row's class, % predicted as the column's class") + "\n" +
         table.text();
}

/// A row for each class with a segment, then the means.
std::string panoptic_rows(const EvaluationReport& report, const Painter& painter) {
  const PanopticReport& panoptic = *report.panoptic;
  TextTable table(
      {left("objects", std::max<std::size_t>(24, name_width(report, 36))), right("PQ %", 7), right("SQ %", 7),
       right("RQ %", 7), right("true", 8), right("found", 8), right("matched", 8), right("centre m", 9)},
      painter, swatch_width(painter));
  const auto row = [&](const std::string& name, const PanopticQuality& quality, const SegmentCounts& counts,
                       const std::string& lead, const std::string& style) {
    table.row(
        {name, percent(quality.pq), percent(quality.sq), percent(quality.rq), format_count(counts.num_true),
         format_count(counts.num_found), format_count(counts.num_matched), fixed(counts.mean_center_error_m(), 3)},
        style, lead);
  };
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    const SegmentCounts& counts = panoptic.found[c];
    const image::ClassInfo& info = report.classes.classes[c];
    if (const PanopticQuality quality = counts.quality(); !std::isnan(quality.pq))
      row(info.name, quality, counts, swatch_text(painter, info.color), "");
  }
  const std::string no_swatch(swatch_width(painter), ' ');
  for (const PanopticMean& mean : panoptic_means(panoptic))
    row(mean.name, mean.quality, mean.counts, no_swatch, mean.key == std::string_view("things") ? "1" : "");
  return painter.dim("panoptic quality of " + counted(panoptic.num_frames, "frame") +
                     " with instances; centre: mean error of matched objects") +
         "\n" + table.text();
}

/// A row for each class with a segment.
std::string measure_rows(const EvaluationReport& report, const Painter& painter) {
  const PanopticReport& panoptic = *report.panoptic;
  TextTable table(
      {left("measures", std::max<std::size_t>(24, name_width(report, 36))), right("true", 6), right("found", 7),
       right("true m2", 9), right("found m2", 10), right("error m2", 10), right("distance m", 12)},
      painter, swatch_width(painter));
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    if (std::isnan(panoptic.found[c].quality().pq)) continue;
    const MeasureMeans means = measure_means(panoptic, c);
    table.row({report.classes.classes[c].name, fixed(means.true_count, 1), fixed(means.found_count, 1),
               fixed(means.true_area_m2, 3), fixed(means.found_area_m2, 3), fixed(means.area_error_m2, 3),
               fixed(means.distance_error_m, 3)},
              "", swatch_text(painter, report.classes.classes[c].color));
  }
  return painter.dim("of a frame, on average: objects, visible area and its error; distance: error of the nearest") +
         "\n" + table.text();
}

Json counts_json(const PanopticQuality& quality, const SegmentCounts& counts) {
  return {{"pq", quality.pq},
          {"sq", quality.sq},
          {"rq", quality.rq},
          {"true", counts.num_true},
          {"found", counts.num_found},
          {"matched", counts.num_matched},
          {"center_error_m", counts.mean_center_error_m()}};
}

Json panoptic_json(const EvaluationReport& report) {
  if (!report.panoptic) return nullptr;
  const PanopticReport& panoptic = *report.panoptic;
  Json json = {{"frames", panoptic.num_frames}};
  for (const PanopticMean& mean : panoptic_means(panoptic)) json[mean.key] = counts_json(mean.quality, mean.counts);
  Json& classes = json["classes"] = Json::array();
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    const bool is_thing = panoptic.is_thing[c];
    Json& row = classes.emplace_back(Json{{"name", report.classes.classes[c].name}, {"thing", is_thing}});
    row.update(counts_json(panoptic.found[c].quality(), panoptic.found[c]));
    row["connected_pixels_pq"] = is_thing ? Json(panoptic.connected[c].quality().pq) : Json();
    row["true_labels_pq"] = is_thing ? Json(panoptic.true_labels[c].quality().pq) : Json();
    const MeasureMeans means = measure_means(panoptic, c);
    row.update({{"true_area_m2", means.true_area_m2},
                {"found_area_m2", means.found_area_m2},
                {"area_error_m2", means.area_error_m2},
                {"distance_error_m", means.distance_error_m}});
  }
  return json;
}

Json accuracy_json(const Accuracy& accuracy) {
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

Json frame_scores_json(const std::vector<evaluate::FrameScore>& frames) {
  Json scores = Json::array();
  for (const evaluate::FrameScore& frame : frames)
    scores.push_back(
        {{"name", frame.name}, {"pixel_accuracy", frame.pixel_accuracy}, {"void_share", frame.void_share}});
  return scores;
}

}  // namespace

std::string evaluation_table(const EvaluationReport& report, bool color) {
  const Painter painter{color};
  std::string out = heading(report, painter) + "\n" + class_rows(report, painter) + "\n" + totals(report, painter);
  if (report.panoptic) out += "\n" + panoptic_rows(report, painter) + "\n" + measure_rows(report, painter);
  const std::size_t num_classes = report.classes.size();
  if (num_classes > 0 && num_classes <= kMaxMatrixClasses) out += "\n" + confusion_matrix(report, painter);
  return out;
}

std::string evaluation_json(const EvaluationReport& report) {
  const Metrics& metrics = report.metrics;
  return dump({{"schema_version", 1},
               {"model", report.model},
               {"dataset", report.dataset},
               {"device", report.device},
               {"frames", report.frames.size()},
               {"seconds", report.seconds},
               {"frames_per_second", report.frames_per_second()},
               {"pixel_accuracy", metrics.without_void.pixel},
               {"class_accuracy", metrics.without_void.class_average},
               {"mean_iou", metrics.mean_iou},
               {"mean_frame_accuracy", report.mean_frame_accuracy()},
               {"with_void", accuracy_json(metrics.all)},
               {"without_background", without_background_json(report)},
               {"labelled_pixels", metrics.labelled_pixels},
               {"void_pixels", metrics.void_pixels},
               {"void_predictions", report.confusion.void_predictions()},
               {"classes", classes_json(report)},
               {"confusion", confusion_json(report.confusion)},
               {"panoptic", panoptic_json(report)},
               {"warnings", report.warnings},
               {"frame_scores", frame_scores_json(report.frames)}});
}

}  // namespace fernwood::report
