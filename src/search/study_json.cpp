// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "fernwood/search/study.h"

namespace fernwood::search {

namespace {

using Json = nlohmann::ordered_json;  // it writes NaN as null

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

std::string study_json(const Study& study) {
  Json json = {{"schema_version", 1},
               {"train", {{"folder", study.train_folder}, {"frames", study.train_frames}}},
               {"test", {{"folder", study.test_folder}, {"frames", study.test_frames}}},
               {"device", study.device},
               {"base", base_json(study.base)},
               {"variants", Json::array()}};
  for (const StudyRow& row : study.rows) json["variants"].push_back(row_json(row, study.base));
  // File names need not be UTF-8, JSON must be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fernwood::search
