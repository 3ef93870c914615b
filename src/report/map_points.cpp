// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/map_points.h"

#include <algorithm>
#include <cmath>

#include "page/page.h"

namespace fernwood::report {

using namespace page;

using map::MapPoint;

namespace {

constexpr std::size_t kRecordBytes = 16;  // RECORD of page/map.js
constexpr double kMaxSteps = 65535;

std::array<double, 3> coordinates(const image::Vector3& place) { return {place.x, place.y, place.z}; }

void choose_steps(const std::vector<MapPoint>& points, PackedPoints& packed) {
  if (points.empty()) return;
  packed.low = coordinates(points[0].place);
  std::array<double, 3> high = packed.low;
  for (const MapPoint& point : points)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      packed.low[axis] = std::min(packed.low[axis], coordinates(point.place)[axis]);
      high[axis] = std::max(high[axis], coordinates(point.place)[axis]);
    }
  double extent = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) extent = std::max(extent, high[axis] - packed.low[axis]);
  if (extent > 0) packed.step_m = extent / kMaxSteps;
}

/// Position, class, colour, probability, normal and a zero byte for each shown point.
std::vector<std::uint8_t> records_of(const std::vector<MapPoint>& points, const PackedPoints& packed) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(kRecordBytes * packed.num_shown);
  const auto put = [&](long number) { bytes.push_back(static_cast<std::uint8_t>(number & 0xff)); };
  const auto put_16 = [&](long number) {
    put(number);
    put(number >> 8);
  };
  for (std::size_t i = 0; i < points.size(); i += packed.every) {
    const MapPoint& point = points[i];
    for (std::size_t axis = 0; axis < 3; ++axis)
      put_16(std::lround(std::min((coordinates(point.place)[axis] - packed.low[axis]) / packed.step_m, kMaxSteps)));
    put_16(point.label);
    for (const std::uint8_t part : {point.color.r, point.color.g, point.color.b}) put(part);
    put(std::lround(255 * std::clamp(point.probability, 0.0f, 1.0f)));
    for (const double part : coordinates(point.normal)) put(std::lround(127 * std::clamp(part, -1.0, 1.0)));
    put(0);
  }
  return bytes;
}

/// The axis nearest to a direction; the image's up axis if the direction is unknown.
std::string nearest_axis(const image::Vector3& direction) {
  const std::array<float, 3> along = {direction.x, direction.y, direction.z};
  std::size_t axis = 1;
  for (const std::size_t other : {2, 0})
    if (std::abs(along[other]) > std::abs(along[axis])) axis = other;
  return {along[axis] > 0 ? '+' : '-', "xyz"[axis]};
}

}  // namespace

PackedPoints pack_points(const std::vector<MapPoint>& points, double voxel_m, const image::Vector3& up,
                         std::size_t most_points) {
  const auto rounded_up = [](std::size_t whole, std::size_t part) { return (whole + part - 1) / part; };
  PackedPoints packed;
  packed.every = std::max<std::size_t>(1, rounded_up(points.size(), std::max<std::size_t>(1, most_points)));
  packed.num_shown = rounded_up(points.size(), packed.every);
  packed.point_m = voxel_m * std::sqrt(static_cast<double>(packed.every));
  packed.up = nearest_axis(up);
  choose_steps(points, packed);
  packed.records = records_of(points, packed);
  return packed;
}

Json facts_of(const PackedPoints& packed, const image::ClassMap& classes) {
  Json colors = Json::array();
  for (const image::ClassInfo& info : classes.classes) colors.push_back({info.color.r, info.color.g, info.color.b});
  return {{"step", packed.step_m},
          {"low", packed.low},
          {"point_size", packed.point_m},
          {"up", packed.up},
          {"floor", packed.floor_up ? Json(coordinates(*packed.floor_up)) : Json()},
          {"colors", colors}};
}

std::string map_viewer_html(const std::string& below_html) {
  std::string ups = "<option value=\"floor\" hidden>floor</option>";
  for (const char* axis : {"-y", "+y", "+z", "-z", "+x", "-x"})
    ups += std::string("<option value=\"") + axis + "\">" + (axis[0] == '-' ? "−" : "+") + axis[1] + "</option>";
  return "<p id=\"map-none\" class=\"bad\" hidden>This browser does not show WebGL, which the image needs. Points "
         "that fernwood map --out writes are shown by Open3D, CloudCompare and MeshLab.</p>\n"
         "<noscript><p class=\"bad\">The image needs JavaScript.</p></noscript>\n<div id=\"map\">\n"
         "<div class=\"map-tools\">\n"
         "<label>Show <select id=\"map-what\"><option value=\"class\">class</option><option value=\"color\">colour"
         "</option><option value=\"probability\">probability</option></select></label>\n"
         "<span id=\"map-certainty\" hidden>0 <i></i> 1</span>\n"
         "<label>Size <input id=\"map-size\" type=\"range\" min=\"20\" max=\"300\" value=\"110\"></label>\n"
         "<label><input id=\"map-through\" type=\"checkbox\" checked>See through walls from behind</label>\n"
         "<label>Up <select id=\"map-up\">" +
         ups +
         "</select></label>\n"
         "<button id=\"map-turn\" aria-pressed=\"false\">Turn</button>\n"
         "<button id=\"map-reset\">Whole map</button>\n</div>\n"
         "<canvas id=\"map-view\" tabindex=\"0\" role=\"img\" aria-label=\"The points of the map; arrows turn, plus "
         "and minus zoom\"></canvas>\n" +
         paragraph(
             "Drag or arrows: turn. Wheel, two fingers or + and −: zoom. With shift or the right button: move. "
             "0: the whole map. Space: turn on its own.") +
         below_html + "</div>\n";
}

}  // namespace fernwood::report
