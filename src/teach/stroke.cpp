// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/project.h"

#include <array>

#include "fernwood/core/error.h"
#include "teach/events.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

bool has_class(Tool tool) { return tool != Tool::kLabels && tool != Tool::kCut; }

void check_points(const Stroke& stroke, std::size_t least) {
  FW_CHECK(stroke.points.size() >= least && stroke.points.size() <= kMaxPoints, Usage,
           "a " << to_string(stroke.tool) << " stroke has " << stroke.points.size() << " points; use " << least
                << " to " << kMaxPoints);
  const auto is_far = [](std::int32_t steps) { return steps < -kMaxSteps || steps > kMaxSteps; };
  for (const Point& point : stroke.points)
    FW_CHECK(!is_far(point.x) && !is_far(point.y), Usage,
             "a point of a stroke is at (" << point.x << ", " << point.y << "); use at most " << kMaxSteps
                                           << " either side of 0, in eighths of a pixel");
}

void check_runs(const Stroke& stroke, std::uint64_t num_pixels) {
  FW_CHECK(!stroke.runs.empty(), Usage, "a region has no pixels; pass some");
  std::uint64_t end = 0;
  for (const PixelRun& run : stroke.runs) {
    FW_CHECK(run.count > 0 && run.begin >= end && run.begin + std::uint64_t{run.count} <= num_pixels, Usage,
             "a region's run of " << run.count << " pixels from " << run.begin
                                  << " on is empty, begins before the last has ended, at " << end
                                  << ", or leaves the frame of " << num_pixels);
    end = run.begin + std::uint64_t{run.count};
  }
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

/// Runs of pixels, for kLabels each after its class.
json runs_json(const Stroke& stroke) {
  json list = json::array();
  for (std::size_t i = 0; i < stroke.runs.size(); ++i) {
    if (stroke.tool == Tool::kLabels) list.push_back(stroke.run_classes[i]);
    list.push_back(stroke.runs[i].begin);
    list.push_back(stroke.runs[i].count);
  }
  return list;
}

void read_runs(const JsonField& field, Stroke& stroke) {
  const bool has_classes = stroke.tool == Tool::kLabels;
  const std::size_t stride = has_classes ? 3 : 2;
  const std::vector<std::int32_t> numbers = field.integers(0, kMaxPixels);
  if (numbers.size() % stride != 0)
    field.fail(has_classes ? "a class and two numbers for each run" : "pairs of numbers");
  const auto number = [&](std::size_t i, std::uint64_t most) {
    if (numbers[i] < 0 || static_cast<std::uint64_t>(numbers[i]) > most) field.at(i).whole(0, most);
    return static_cast<std::uint32_t>(numbers[i]);
  };
  for (std::size_t i = 0; i < numbers.size(); i += stride) {
    if (has_classes) stroke.run_classes.push_back(static_cast<std::uint16_t>(number(i, kMaxClassNumber)));
    stroke.runs.push_back({number(i + stride - 2, kMaxPixels), number(i + stride - 1, kMaxPixels)});
  }
}

}  // namespace

std::string to_string(Tool tool) {
  constexpr std::array kNames = {"brush", "polygon", "region", "labels", "cut"};
  return kNames[static_cast<std::size_t>(tool)];
}

void Stroke::check(std::size_t rows, std::size_t cols) const {
  switch (tool) {
    case Tool::kBrush:
    case Tool::kCut:
      FW_CHECK(radius >= 0 && radius <= kMaxSteps, Usage,
               "the radius of a brush is " << radius << "; use 0 to " << kMaxSteps << " eighths of a pixel");
      return check_points(*this, 1);
    case Tool::kPolygon:
      return check_points(*this, 3);
    case Tool::kLabels:
      FW_CHECK(run_classes.size() == runs.size(), Usage,
               "labels have " << runs.size() << " runs of pixels and " << run_classes.size()
                              << " classes; give each run a class");
      [[fallthrough]];
    case Tool::kRegion:
      return check_runs(*this, std::uint64_t{rows} * cols);
  }
}

Stroke labels_stroke(const image::LabelImage& labels, const std::vector<std::uint16_t>& numbers) {
  Stroke stroke = {.tool = Tool::kLabels};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint16_t label = labels.data()[i];
    if (label >= numbers.size() || numbers[label] == kErase) continue;
    const bool goes_on = !stroke.runs.empty() && stroke.runs.back().begin + stroke.runs.back().count == i &&
                         stroke.run_classes.back() == numbers[label];
    if (goes_on) {
      ++stroke.runs.back().count;
    } else {
      stroke.runs.push_back({static_cast<std::uint32_t>(i), 1});
      stroke.run_classes.push_back(numbers[label]);
    }
  }
  return stroke;
}

std::uint16_t class_number_of(const JsonField& field) {
  return static_cast<std::uint16_t>(field.whole(0, kMaxClassNumber));
}

std::uint16_t class_id_of(const JsonField& event) {
  return event.at("class").is_null() ? kErase : class_number_of(event.at("class"));
}

Stroke area_of(const JsonField& event) {
  Stroke stroke;
  if (event.has("brush")) {
    stroke.radius = event.at("brush").integer();
    stroke.points = points_of(event.at("points"));
  } else if (event.has("cut")) {
    stroke.tool = Tool::kCut;
    stroke.radius = event.at("cut").integer();
    stroke.points = points_of(event.at("points"));
  } else if (event.has("polygon")) {
    stroke.tool = Tool::kPolygon;
    stroke.points = points_of(event.at("polygon"));
  } else if (event.has("labels")) {
    stroke.tool = Tool::kLabels;
    read_runs(event.at("labels"), stroke);
  } else {
    stroke.tool = Tool::kRegion;
    read_runs(event.at("region"), stroke);
  }
  return stroke;
}

Stroke stroke_of(const JsonField& event) {
  Stroke stroke = area_of(event);
  if (has_class(stroke.tool)) stroke.class_id = class_id_of(event);
  if (event.has("protected")) {
    const JsonField protected_classes = event.at("protected");
    for (std::size_t i = 0, count = protected_classes.size(0, kMaxClassNumber); i < count; ++i)
      stroke.protected_classes.push_back(class_number_of(protected_classes.at(i)));
  }
  return stroke;
}

void write_stroke(const Stroke& stroke, nlohmann::json& line) {
  if (has_class(stroke.tool)) line["class"] = stroke.class_id == kErase ? json() : json(stroke.class_id);
  if (stroke.tool == Tool::kBrush || stroke.tool == Tool::kCut)
    line[to_string(stroke.tool)] = stroke.radius, line["points"] = points_json(stroke.points);
  if (stroke.tool == Tool::kPolygon) line["polygon"] = points_json(stroke.points);
  if (stroke.tool == Tool::kRegion) line["region"] = runs_json(stroke);
  if (stroke.tool == Tool::kLabels) line["labels"] = runs_json(stroke);
  if (!stroke.protected_classes.empty()) line["protected"] = stroke.protected_classes;
}

}  // namespace fernwood::teach
