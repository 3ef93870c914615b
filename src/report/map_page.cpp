// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

#include "core/base64.h"
#include "dataset/dataset_folder.h"
#include "fernwood/core/text.h"
#include "fernwood/report/description.h"
#include "fernwood/report/format.h"
#include "report/json.h"
#include "report/map_script.h"
#include "report/page.h"

namespace fernwood::report {

using map::MapPoint;

namespace {

constexpr std::size_t kRecordBytes = 16;  // RECORD of page/map.js
constexpr double kMostSteps = 65535;

/// Where points lie: places are whole steps from the lowest corner.
struct Raster {
  std::array<double, 3> low{};
  double step_m = 1;  ///< The same along all axes.
};

std::array<double, 3> coordinates(const image::Vector3& place) { return {place.x, place.y, place.z}; }

Raster raster_of(const std::vector<MapPoint>& points) {
  Raster raster;
  if (points.empty()) return raster;
  raster.low = coordinates(points[0].place);
  std::array<double, 3> high = raster.low;
  for (const MapPoint& point : points)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      raster.low[axis] = std::min(raster.low[axis], coordinates(point.place)[axis]);
      high[axis] = std::max(high[axis], coordinates(point.place)[axis]);
    }
  double extent = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) extent = std::max(extent, high[axis] - raster.low[axis]);
  if (extent > 0) raster.step_m = extent / kMostSteps;
  return raster;
}

/// As page/map.js reads them: place, class, colour, probability, normal and a byte of 0.
std::vector<std::uint8_t> packed(const std::vector<MapPoint>& points, std::size_t every, const Raster& raster) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(kRecordBytes * (points.size() / every + 1));
  const auto put = [&](long number) { bytes.push_back(static_cast<std::uint8_t>(number & 0xff)); };
  const auto put_16 = [&](long number) {
    put(number);
    put(number >> 8);
  };
  for (std::size_t i = 0; i < points.size(); i += every) {
    const MapPoint& point = points[i];
    for (std::size_t axis = 0; axis < 3; ++axis)
      put_16(std::lround(std::min((coordinates(point.place)[axis] - raster.low[axis]) / raster.step_m, kMostSteps)));
    put_16(point.label);
    for (const std::uint8_t part : {point.color.r, point.color.g, point.color.b}) put(part);
    put(std::lround(255 * std::clamp(point.probability, 0.0f, 1.0f)));
    for (const double part : coordinates(point.normal)) put(std::lround(127 * std::clamp(part, -1.0, 1.0)));
    put(0);
  }
  return bytes;
}

/// Which axis points up, as far as surfaces tell: of cameras' places -y, where more points look up by it than by +z,
/// which is that of rooms.
const char* up_axis(const std::vector<MapPoint>& points) {
  constexpr float kAlong = 0.9f;
  std::size_t camera = 0, room = 0;
  for (const MapPoint& point : points) {
    camera += point.normal.y < -kAlong ? 1 : 0;
    room += point.normal.z > kAlong ? 1 : 0;
  }
  return room > camera ? "+z" : "-y";
}

/// A box to tick for each class that points have, with their number.
std::string map_legend(const std::vector<MapPoint>& points, const image::ClassMap& classes) {
  std::map<std::uint16_t, std::size_t> counts;
  for (const MapPoint& point : points) ++counts[point.label];
  std::string html = "<ul class=\"map-legend\" aria-label=\"Classes; untick to hide\">\n";
  for (const auto& [label, count] : counts) {
    const std::string name = label < classes.size() ? class_label(classes.classes[label]) : swatch("#808080") + "void";
    html += "<li><label><input type=\"checkbox\" checked data-class=\"" + std::to_string(label) + "\">" + name +
            " <span class=\"soft\">" + format_count(count) + "</span></label></li>\n";
  }
  return html + "</ul>\n";
}

std::string map_controls() {
  std::string ups;
  for (const char* axis : {"-y", "+y", "+z", "-z", "+x", "-x"})
    ups += std::string("<option value=\"") + axis + "\">" + (axis[0] == '-' ? "−" : "+") + axis[1] + "</option>";
  return "<div class=\"map-tools\">\n"
         "<label>Show <select id=\"map-what\"><option value=\"class\">class</option><option value=\"color\">colour"
         "</option><option value=\"probability\">probability</option></select></label>\n"
         "<span id=\"map-certainty\" hidden>0 <i></i> 1</span>\n"
         "<label>Size <input id=\"map-size\" type=\"range\" min=\"20\" max=\"300\" value=\"110\"></label>\n"
         "<label><input id=\"map-through\" type=\"checkbox\" checked>See through walls from behind</label>\n"
         "<label>Up <select id=\"map-up\">" +
         ups +
         "</select></label>\n"
         "<button id=\"map-turn\" aria-pressed=\"false\">Turn</button>\n"
         "<button id=\"map-reset\">Whole map</button>\n</div>\n";
}

std::string map_viewer() {
  return "<p id=\"map-none\" class=\"bad\" hidden>This browser does not show WebGL, which the picture needs. Points "
         "that fernwood map --out writes are shown by Open3D, CloudCompare and MeshLab.</p>\n"
         "<noscript><p class=\"bad\">The picture needs JavaScript.</p></noscript>\n<div id=\"map\">\n" +
         map_controls() +
         "<canvas id=\"map-view\" tabindex=\"0\" role=\"img\" aria-label=\"The points of the map; arrows turn, plus "
         "and minus zoom\"></canvas>\n" +
         paragraph(
             "Drag or arrows: turn. Wheel, two fingers or + and −: zoom. With shift or the right button: move. "
             "0: the whole map. Space: turn on its own.") +
         "<div class=\"map-tools\"><button id=\"map-all\">All classes</button><button id=\"map-nothing\">No class"
         "</button></div>\n";
}

/// What the script needs to know.
Json script_facts(const image::ClassMap& classes, const Raster& raster, double point_m, const char* up) {
  Json colors = Json::array();
  for (const image::ClassInfo& info : classes.classes) colors.push_back({info.color.r, info.color.g, info.color.b});
  return {{"step", raster.step_m}, {"point_size", point_m}, {"up", up}, {"colors", colors}};
}

}  // namespace

std::string map_page(const std::vector<MapPoint>& points, const image::ClassMap& classes, double voxel_m,
                     const std::string& name, std::size_t most_points) {
  const auto rounded_up = [](std::size_t whole, std::size_t part) { return (whole + part - 1) / part; };
  const std::size_t every = std::max<std::size_t>(1, rounded_up(points.size(), std::max<std::size_t>(1, most_points)));
  const std::size_t num_shown = rounded_up(points.size(), every);
  PageHead head{.title = "Map" + (name.empty() ? "" : " of " + name),
                .heading = "Map",
                .subtitle_html = name.empty() ? "" : code(name),
                .facts = {{format_count(points.size()), points.size() == 1 ? "point" : "points"},
                          {format_text("%g cm", 100 * voxel_m), "side of a voxel"}}};
  if (points.empty())
    return page(head, paragraph("The map has no points: no voxel was seen often enough (--min-weight)."));
  if (every > 1) head.facts.emplace_back(format_count(num_shown), "points shown, 1 of " + std::to_string(every));
  const Raster raster = raster_of(points);
  // Points that stand for several are as much larger as they lie apart.
  const double point_m = voxel_m * std::sqrt(static_cast<double>(every));
  return page(
      head, map_viewer() + map_legend(points, classes) + "</div>\n<script id=\"map-facts\" type=\"application/json\">" +
                script_facts(classes, raster, point_m, up_axis(points)).dump() +
                "</script>\n<script id=\"map-points\" type=\"text/plain\">" + to_base64(packed(points, every, raster)) +
                "</script>\n<script type=\"module\">\n" + std::string(kMapScript) + "</script>");
}

}  // namespace fernwood::report
