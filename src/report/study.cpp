// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/search/study.h"

#include "fernwood/report/evaluation.h"
#include "fernwood/report/format.h"
#include "report/json.h"
#include "report/text_table.h"

namespace fernwood::report {

using search::group_title, search::Study, search::StudyGroup, search::StudyRow, search::StudyVariant;

namespace {

void add_row(TextTable& table, const StudyRow& row, const StudyRow& base) {
  const std::string name = (row.variant.group ? "  " : "") + row.variant.name;
  if (!row.problem.empty()) return table.line(name + ": " + row.problem);
  const auto difference = [&](double now, double then) { return row.variant.group ? points(now - then) : ""; };
  table.row({name, percent(row.accuracy.pixel), percent(row.accuracy.class_average),
             difference(row.accuracy.pixel, base.accuracy.pixel),
             difference(row.accuracy.class_average, base.accuracy.class_average), fixed(row.frame_ms, 2),
             fixed(row.train_seconds, 1)});
}

/// The options that variants differ in, and those that a model file keeps.
Json options_of(const train::TrainOptions& options) {
  Json json = Json::parse(train::to_json(options));
  json["stages"] = options.stages;
  json["channels"] = options.channels;
  json["class_weights"] = options.class_weights;
  return json;
}

/// What of `now` is not as in `then`.
Json changes(const Json& now, const Json& then) {
  Json changed = Json::object();
  for (const auto& [key, value] : now.items())
    if (then.contains(key) && then.at(key) != value) changed[key] = value;
  return changed;
}

Json labelling_json(const StudyVariant& variant) {
  return {{"smooth_px", variant.smoothing.extent_px}, {"turned_degrees", variant.turned_degrees}};
}

Json figures_json(const StudyRow& row) {
  return {{"pixel_accuracy", row.accuracy.pixel},
          {"class_accuracy", row.accuracy.class_average},
          {"frame_ms", row.frame_ms},
          {"train_seconds", row.train_seconds}};
}

Json base_json(const StudyRow& base) {
  Json json = {{"options", options_of(base.variant.train)}};
  json.update(labelling_json(base.variant));
  json.update(figures_json(base));
  return json;
}

Json row_json(const StudyRow& row, const StudyRow& base) {
  Json json = {{"group", to_string(*row.variant.group)},
               {"name", row.variant.name},
               {"options", changes(options_of(row.variant.train), options_of(base.variant.train))}};
  json.update(labelling_json(row.variant));
  if (!row.problem.empty()) {
    json["problem"] = row.problem;
    return json;
  }
  json.update(figures_json(row));
  json["pixel_difference"] = row.accuracy.pixel - base.accuracy.pixel;
  json["class_difference"] = row.accuracy.class_average - base.accuracy.class_average;
  return json;
}

}  // namespace

std::string study_table(const Study& study, bool color) {
  const Painter painter{color};
  TextTable table({left("", 34), right("pixel", 7), right("class", 8), right("pixel", 8), right("class", 8),
                   right("a frame", 10), right("training", 10)},
                  painter);
  table.row({"variant", "%", "%", "points", "points", "ms", "s"}, "1");
  add_row(table, study.base, study.base);
  std::optional<StudyGroup> group;
  for (const StudyRow& row : study.rows) {
    if (row.variant.group != group) table.line(painter.bold(group_title(*row.variant.group)));
    group = row.variant.group;
    add_row(table, row, study.base);
  }
  return facts({{"train", study.train_folder + ", " + counted(study.train_frames, "frame")},
                {"test", study.test_folder + ", " + counted(study.test_frames, "frame")},
                {"device", study.device}},
               8) +
         "\n" + table.text();
}

std::string study_json(const Study& study) {
  Json json = {{"schema_version", 1},
               {"train", {{"folder", study.train_folder}, {"frames", study.train_frames}}},
               {"test", {{"folder", study.test_folder}, {"frames", study.test_frames}}},
               {"device", study.device},
               {"base", base_json(study.base)},
               {"variants", Json::array()}};
  for (const StudyRow& row : study.rows) json["variants"].push_back(row_json(row, study.base));
  return dump(json);
}

}  // namespace fernwood::report
