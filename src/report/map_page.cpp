// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <map>

#include "core/base64.h"
#include "core/json_text.h"
#include "dataset/dataset_folder.h"
#include "fernwood/core/text.h"
#include "fernwood/report/description.h"
#include "page/page.h"
#include "report/map_points.h"
#include "report/pictures.h"

namespace fernwood::report {

using namespace page;

using map::MapPoint;

namespace {

/// A check box for each class of the points, with the number of points.
std::string map_legend(const std::vector<MapPoint>& points, const image::ClassMap& classes) {
  std::map<std::uint16_t, std::size_t> counts;
  for (const MapPoint& point : points) ++counts[point.label];
  std::string html =
      "<div class=\"map-tools\"><button id=\"map-all\">All classes</button><button id=\"map-nothing\">No class"
      "</button></div>\n<ul class=\"map-legend\" aria-label=\"Classes; untick to hide\">\n";
  for (const auto& [label, count] : counts) {
    const std::string name = label < classes.size() ? class_label(classes.classes[label]) : swatch("#808080") + "void";
    html += "<li><label><input type=\"checkbox\" checked data-class=\"" + std::to_string(label) + "\">" + name +
            " <span class=\"soft\">" + format_count(count) + "</span></label></li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string map_page(const std::vector<MapPoint>& points, const image::ClassMap& classes, double voxel_m,
                     const image::Vector3& up, const std::string& name, std::size_t most_points) {
  PageHead head{.title = "Map" + (name.empty() ? "" : " of " + name),
                .heading = "Map",
                .subtitle_html = name.empty() ? "" : code(name),
                .facts = {{format_count(points.size()), points.size() == 1 ? "point" : "points"},
                          {format_text("%g cm", 100 * voxel_m), "side of a voxel"}},
                .style = std::string(kMapStyle)};
  if (points.empty())
    return html_page(head, paragraph("The map has no points: no voxel was seen often enough (--min-weight)."));
  const PackedPoints packed = pack_points(points, voxel_m, up, most_points);
  if (packed.every > 1)
    head.facts.emplace_back(format_count(packed.num_shown), "points shown, 1 of " + std::to_string(packed.every));
  return html_page(head, map_viewer_html(map_legend(points, classes)) +
                             "<script id=\"map-facts\" type=\"application/json\">" +
                             json_text(facts_of(packed, classes)) +
                             "</script>\n<script id=\"map-points\" type=\"text/plain\">" + to_base64(packed.records) +
                             "</script>\n<script type=\"module\">\n" + std::string(kMapScript) + "</script>");
}

}  // namespace fernwood::report
