// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/events.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_field.h"
#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxClasses = 65534, kMaxPixels = std::uint64_t{1} << 28;
constexpr std::size_t kLongestRequestId = 64;

json color_json(image::Rgb color) { return {color.r, color.g, color.b}; }

image::Vector3 up_of(const JsonField& field) {
  const std::vector<double> numbers = field.numbers(3, 3);
  const image::Vector3 up = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
                             static_cast<float>(numbers[2])};
  if (!image::is_direction(up)) field.fail("a direction");
  return up;
}

std::uint16_t class_of(const JsonField& field) { return static_cast<std::uint16_t>(field.whole(0, kMaxClasses)); }

std::optional<image::Camera> camera_of(const JsonField& field) {
  if (field.is_null()) return std::nullopt;
  const std::vector<double> numbers = field.numbers(6, 6);
  const auto number = [&](std::size_t i) { return static_cast<float>(numbers[i]); };
  const image::Camera camera = {static_cast<int>(field.at(std::size_t{0}).whole(1, kMaxPixels)),
                                static_cast<int>(field.at(std::size_t{1}).whole(1, kMaxPixels)),
                                number(2),
                                number(3),
                                number(4),
                                number(5)};
  const std::string problem = image::problem_of(camera);
  if (!problem.empty()) field.fail("a camera (its " + problem + ")");
  return camera;
}

json matrix_json(const image::RigidMotion& motion) {
  const std::array<float, 3> translation = {motion.translation.x, motion.translation.y, motion.translation.z};
  json list = json::array();
  for (std::size_t row = 0; row < 3; ++row)
    for (const float number :
         {motion.rotation[row].x, motion.rotation[row].y, motion.rotation[row].z, translation[row]})
      list.push_back(number);
  return list;
}

image::RigidMotion motion_of(const JsonField& field) {
  const std::vector<double> numbers = field.numbers(12, 12);
  const auto at = [&](std::size_t row, std::size_t col) { return static_cast<float>(numbers[4 * row + col]); };
  image::RigidMotion motion;
  for (std::size_t row = 0; row < 3; ++row) motion.rotation[row] = {at(row, 0), at(row, 1), at(row, 2)};
  motion.translation = {at(0, 3), at(1, 3), at(2, 3)};
  return motion;
}

json points_json(const std::vector<Point>& points) {
  json list = json::array();
  for (const Point& point : points) {
    list.push_back(point.x);
    list.push_back(point.y);
  }
  return list;
}

std::vector<Point> points_of(const JsonField& field) {
  const std::vector<std::int32_t> numbers = field.integers(0, 2 * kMaxPoints);
  if (numbers.size() % 2 != 0) field.fail("pairs of numbers");
  std::vector<Point> points(numbers.size() / 2);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {numbers[2 * i], numbers[2 * i + 1]};
  return points;
}

json runs_json(const std::vector<PixelRun>& runs) {
  json list = json::array();
  for (const PixelRun& run : runs) {
    list.push_back(run.begin);
    list.push_back(run.count);
  }
  return list;
}

std::vector<PixelRun> runs_of(const JsonField& field) {
  const std::vector<std::int32_t> numbers = field.integers(0, kMaxPixels);
  if (numbers.size() % 2 != 0) field.fail("pairs of numbers");
  std::vector<PixelRun> runs(numbers.size() / 2);
  const auto pixels = [&](std::size_t i) {
    if (numbers[i] < 0 || static_cast<std::uint64_t>(numbers[i]) > kMaxPixels) field.at(i).whole(0, kMaxPixels);
    return static_cast<std::uint32_t>(numbers[i]);
  };
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = {pixels(2 * i), pixels(2 * i + 1)};
  return runs;
}

json labels_json(const Stroke& stroke) {
  json list = json::array();
  for (std::size_t i = 0; i < stroke.runs.size(); ++i)
    for (const std::uint32_t number :
         {std::uint32_t{stroke.run_classes[i]}, stroke.runs[i].begin, stroke.runs[i].count})
      list.push_back(number);
  return list;
}

void read_labels(const JsonField& field, Stroke& stroke) {
  const std::vector<std::int32_t> numbers = field.integers(0, kMaxPixels);
  if (numbers.size() % 3 != 0) field.fail("a class and two numbers for each run");
  const auto number = [&](std::size_t i, std::uint64_t most) {
    if (numbers[i] < 0 || static_cast<std::uint64_t>(numbers[i]) > most) field.at(i).whole(0, most);
    return static_cast<std::uint32_t>(numbers[i]);
  };
  const auto pixels = [&](std::size_t i) { return number(i, kMaxPixels); };
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    stroke.run_classes.push_back(static_cast<std::uint16_t>(number(i, kMaxClasses)));
    stroke.runs.push_back({pixels(i + 1), pixels(i + 2)});
  }
}

struct ToJson {
  json operator()(const FrameKept& kept) const {
    json event = {{"frame", kept.name},      {"rows", kept.rows},
                  {"cols", kept.cols},       {"up", {kept.up.x, kept.up.y, kept.up.z}},
                  {"color", kept.has_color}, {"depth", kept.has_depth},
                  {"camera", nullptr}};
    if (const auto& camera = kept.camera)
      event["camera"] = {camera->cols, camera->rows, camera->fx, camera->fy, camera->cx, camera->cy};
    if (kept.num_maps > 0) event["maps"] = kept.num_maps;
    return event;
  }
  static json with_request_id(json event, const std::string& request_id) {
    if (!request_id.empty()) event["request"] = request_id;
    return event;
  }
  json operator()(const ClassNamed& named) const {
    return with_request_id({{"class", named.number}, {"name", named.name}, {"color", color_json(named.color)}},
                           named.request_id);
  }
  json operator()(const ClassLocked& lock) const { return {{"lock", lock.number}, {"locked", lock.is_locked}}; }
  json operator()(const ClassMerged& merged) const {
    return with_request_id({{"merge", merged.number}, {"into", merged.into}}, merged.request_id);
  }
  json operator()(const ClassDeleted& deleted) const {
    return with_request_id({{"delete", deleted.number}}, deleted.request_id);
  }
  json operator()(const ClassRestored& restored) const {
    return with_request_id({{"restore", restored.number}}, restored.request_id);
  }
  json operator()(const StrokeDrawn& drawn) const {
    const Stroke& stroke = drawn.stroke;
    json event = {{"stroke", drawn.number}, {"frame", drawn.frame}};
    if (stroke.tool != Tool::kLabels) event["class"] = stroke.class_id == kErase ? json() : json(stroke.class_id);
    switch (stroke.tool) {
      case Tool::kBrush:
        event["brush"] = stroke.radius;
        event["points"] = points_json(stroke.points);
        break;
      case Tool::kPolygon:
        event["polygon"] = points_json(stroke.points);
        break;
      case Tool::kRegion:
        event["region"] = runs_json(stroke.runs);
        break;
      case Tool::kLabels:
        event["labels"] = labels_json(stroke);
        break;
    }
    if (!stroke.protected_classes.empty()) event["protected"] = stroke.protected_classes;
    return with_request_id(std::move(event), drawn.request_id);
  }
  json operator()(const StrokeUndone& undone) const {
    return with_request_id({{undone.is_redone ? "redo" : "undo", undone.number}}, undone.request_id);
  }
  json operator()(const FrameDone& done) const { return {{"done", done.frame}, {"is_done", done.is_done}}; }
  json operator()(const FramePosed& posed) const {
    return {{"pose", posed.frame}, {"room", posed.room}, {"matrix", matrix_json(posed.pose)}};
  }
  json operator()(const LabelsCarried& carried) const {
    return {{"carry", carried.frame ? json(*carried.frame) : json()}, {"is_carried", carried.is_carried}};
  }
};

}  // namespace

image::Rgb color_of(const JsonField& field) {
  field.size(3, 3);
  const auto value = [&](std::size_t i) { return static_cast<std::uint8_t>(field.at(i).whole(0, 255)); };
  return {value(0), value(1), value(2)};
}

std::uint16_t class_id_of(const JsonField& event) {
  return event.at("class").is_null() ? kErase : class_of(event.at("class"));
}

bool is_request_id(const std::string& request_id) {
  const auto is_plain = [](unsigned char c) {  // independent of the locale
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  return request_id.size() <= kLongestRequestId && std::ranges::all_of(request_id, is_plain);
}

std::string request_id_of(const JsonField& event) {
  if (!event.has("request")) return {};
  const std::string& request_id = event.at("request").text();
  if (request_id.empty() || !is_request_id(request_id))
    event.at("request").fail("letters, digits and \"-\", 64 at most");
  return request_id;
}

Stroke area_of(const JsonField& event) {
  Stroke stroke;
  if (event.has("brush")) {
    stroke.radius = event.at("brush").integer();
    stroke.points = points_of(event.at("points"));
  } else if (event.has("polygon")) {
    stroke.tool = Tool::kPolygon;
    stroke.points = points_of(event.at("polygon"));
  } else if (event.has("labels")) {
    stroke.tool = Tool::kLabels;
    read_labels(event.at("labels"), stroke);
  } else {
    stroke.tool = Tool::kRegion;
    stroke.runs = runs_of(event.at("region"));
  }
  return stroke;
}

Stroke stroke_of(const JsonField& event) {
  Stroke stroke = area_of(event);
  if (stroke.tool != Tool::kLabels) stroke.class_id = class_id_of(event);
  if (event.has("protected")) {
    const JsonField protected_classes = event.at("protected");
    for (std::size_t i = 0, count = protected_classes.size(0, kMaxClasses); i < count; ++i)
      stroke.protected_classes.push_back(class_of(protected_classes.at(i)));
  }
  return stroke;
}

std::string to_text(const Event& event) { return json_text(std::visit(ToJson{}, event)); }

Event parse_event(const std::string& text, const std::string& place) {
  const ErrorContext where = {place, "; take the project from a backup", "line", ErrorKind::kData};
  const json document = parse_json(text, 4, "the line", where);
  const JsonField event(document, "", where);
  const auto stroke_number = [&](const char* key) { return event.at(key).whole(1, kMaxStrokes); };
  if (event.has("stroke"))
    return StrokeDrawn{stroke_number("stroke"), event.at("frame").whole(0, kMaxPixels), stroke_of(event),
                       request_id_of(event)};
  if (event.has("undo")) return StrokeUndone{stroke_number("undo"), false, request_id_of(event)};
  if (event.has("redo")) return StrokeUndone{stroke_number("redo"), true, request_id_of(event)};
  if (event.has("done")) return FrameDone{event.at("done").whole(0, kMaxPixels), event.at("is_done").flag()};
  if (event.has("pose"))
    return FramePosed{event.at("pose").whole(0, kMaxPixels), event.at("room").text(), motion_of(event.at("matrix"))};
  if (event.has("carry"))
    return LabelsCarried{
        event.at("carry").is_null() ? std::nullopt : std::optional(std::size_t{event.at("carry").whole(0, kMaxPixels)}),
        event.at("is_carried").flag()};
  if (event.has("frame"))
    return FrameKept{event.at("frame").text(),
                     event.at("rows").whole(1, kMaxPixels),
                     event.at("cols").whole(1, kMaxPixels),
                     event.at("color").flag(),
                     event.at("depth").flag(),
                     up_of(event.at("up")),
                     camera_of(event.at("camera")),
                     event.has("maps") ? event.at("maps").whole(1, image::kMaxMaps) : 0};
  if (event.has("class"))
    return ClassNamed{class_of(event.at("class")), event.at("name").text(), color_of(event.at("color")),
                      request_id_of(event)};
  if (event.has("lock")) return ClassLocked{class_of(event.at("lock")), event.at("locked").flag()};
  if (event.has("delete")) return ClassDeleted{class_of(event.at("delete")), request_id_of(event)};
  if (event.has("restore")) return ClassRestored{class_of(event.at("restore")), request_id_of(event)};
  return ClassMerged{class_of(event.at("merge")), class_of(event.at("into")), request_id_of(event)};
}

}  // namespace fernwood::teach
