// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/objects.h"

#include "core/result_json.h"
#include "fernwood/core/text.h"
#include "fernwood/map/occupancy_grid.h"
#include "fernwood/objects/measures.h"
#include "fernwood/objects/object_tracker.h"
#include "report/object_parts.h"

namespace fernwood::report {

namespace {

Json object_json(const objects::Object& object, const std::vector<std::string>& names) {
  const bool is_object = object.number != image::kNoInstance, has_depth = object.distance_m > 0;
  Json json;
  if (is_object) json["number"] = object.number;
  json["class"] = names[object.label];
  if (!object.probabilities.empty()) {
    json["confidence"] = rounded(object.confidence, kShareDigits);
    Json& probabilities = json["probabilities"] = Json::array();
    for (const float probability : object.probabilities) probabilities.push_back(rounded(probability, kShareDigits));
  }
  json["pixels"] = object.num_pixels;
  json["bounds"] = {object.left, object.top, object.right, object.bottom};
  json["touches_border"] = object.touches_border;
  json["area_m2"] = rounded(object.area_m2, kAreaDigits);
  json["distance_m"] = has_depth ? rounded(object.distance_m, kLengthDigits) : Json();
  json["place"] = has_depth ? vector_json(object.place) : Json();
  if (is_object) json["box"] = has_depth ? box_json(object.box) : Json();
  return json;
}

/// @param pose, ids  As in ObjectsOfFrame.
Json objects_list(const std::vector<objects::Object>& list, const std::vector<std::string>& names,
                  const std::optional<image::RigidMotion>& pose, std::span<const std::uint32_t> ids = {}) {
  Json objects = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    objects.push_back(object_json(pose ? moved(list[i], *pose) : list[i], names));
    if (!ids.empty()) objects.back()["id"] = ids[i] == objects::ObjectTracker::kNoId ? Json() : Json(ids[i]);
  }
  return objects;
}

Json measures_json(const objects::ClassMeasures& measures, const std::vector<std::string>& names) {
  return {{"class", names[measures.label]},
          {"count", measures.num_objects},
          {"pixels", measures.num_pixels},
          {"area_m2", rounded(measures.area_m2, kAreaDigits)},
          {"volume_m3", rounded(measures.volume_m3, kVolumeDigits)},
          {"nearest", measures.nearest == image::kNoInstance ? Json() : Json(measures.nearest)},
          {"distance_m", rounded(measures.distance_m, kLengthDigits)},
          {"direction_deg", rounded(measures.direction_deg, kAngleDigits)}};
}

/// In quotes where a comma or a quote would end it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string objects_json(const ObjectsOfFrame& objects) {
  const std::vector<std::string> names = objects.classes.names();
  const std::vector<bool> is_floor = map::floor_classes(objects.classes);
  Json measures = Json::array();
  double floor_m2 = 0;
  for (const objects::ClassMeasures& of_class : objects::measure_classes(objects.found)) {
    measures.push_back(measures_json(of_class, names));
    if (is_floor[of_class.label]) floor_m2 += of_class.area_m2;
  }
  const Json json = {{"schema_version", 1},
                     {"frame", objects.frame},
                     {"width", objects.found.numbers.cols()},
                     {"height", objects.found.numbers.rows()},
                     {"coordinates", objects.pose ? "room" : "camera"},
                     {"classes", names},
                     {"objects", objects_list(objects.found.objects, names, objects.pose, objects.ids)},
                     {"stuff", objects_list(objects.found.stuff, names, objects.pose)},
                     {"measures", {{"classes", measures}, {"floor_m2", rounded(floor_m2, kAreaDigits)}}}};
  return json_text(json) + "\n";
}

std::string objects_text(const ObjectsOfFrame& objects) {
  const std::vector<std::string> names = objects.classes.names();
  std::vector<std::string> parts;
  for (const objects::ClassMeasures& of_class : objects::measure_classes(objects.found)) {
    if (of_class.num_objects == 0) continue;
    std::string part = counted(of_class.num_objects, names[of_class.label]);
    if (of_class.distance_m)
      part += (of_class.num_objects == 1 ? ", " : ", nearest ") + fixed(*of_class.distance_m, 1) + " m";
    parts.push_back(part);
  }
  return parts.empty() ? "no objects" : join(parts, "; ");
}

std::string measures_csv(const ObjectsOfFrame& objects) {
  const std::vector<std::string> names = objects.classes.names();
  std::string lines;
  const auto optional_text = [](const std::optional<double>& value, int digits) {
    return value ? fixed(*value, digits) : std::string();
  };
  for (const objects::ClassMeasures& of_class : objects::measure_classes(objects.found))
    lines += join(std::vector{csv_field(objects.frame), csv_field(names[of_class.label]),
                              std::to_string(of_class.num_objects), std::to_string(of_class.num_pixels),
                              fixed(of_class.area_m2, kAreaDigits), fixed(of_class.volume_m3, kVolumeDigits),
                              optional_text(of_class.distance_m, kLengthDigits),
                              optional_text(of_class.direction_deg, kAngleDigits)},
                  ",") +
             "\n";
  return lines;
}

}  // namespace fernwood::report
