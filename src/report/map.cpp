// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/base64.h"
#include "core/json_text.h"
#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"
#include "fernwood/report/description.h"
#include "page/page.h"
#include "report/map_points.h"
#include "report/pictures.h"

namespace fernwood::report {

using namespace page;

using map::MapPoint, map::RecordingReport;

namespace {

constexpr std::array<std::pair<const char*, const Durations RecordingReport::*>, 3> kMapStages = {
    {{"locate", &RecordingReport::locate},
     {"predict", &RecordingReport::predict},
     {"integrate", &RecordingReport::integrate}}};

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

std::string map_text(const MapResult& result) {
  const RecordingReport& report = result.report;
  std::string text = format_text("%zu of %zu frames mapped in %.1f s, poses %s\n", report.num_fused, report.num_frames,
                                 report.seconds, report.estimated_poses ? "estimated from depth" : "of the source");
  text += format_text("%zu voxels of %g m in %zu blocks, %s", result.num_voxels, result.options.voxel_m,
                      result.num_blocks, format_bytes(result.memory_bytes).c_str());
  if (result.num_frames > report.num_fused) text += format_text(", of %zu frames in all", result.num_frames);
  text += "\n";
  if (result.num_points > 0) text += format_text("%zu points\n", result.num_points);
  if (result.num_triangles > 0)
    text += format_text("%zu triangles between %zu vertices\n", result.num_triangles, result.num_vertices);
  TextTable table({left("", 10), right("median ms", 12), right("95 % ms", 12)});
  for (const auto& [name, stage] : kMapStages)
    table.row({name, fixed(1000 * (report.*stage).median_s(), 2), fixed(1000 * (report.*stage).p95_s(), 2)});
  return text + "\n" + table.text();
}

std::string map_json(const MapResult& result) {
  const RecordingReport& report = result.report;
  const double share = report.agreement.median_share;
  Json json = {{"schema_version", 1},
               {"source", result.source},
               {"device", result.device},
               {"model", result.model_checksum},
               {"voxel_size", result.options.voxel_m},
               {"frames", report.num_frames},
               {"mapped", report.num_fused},
               {"without_pose", report.num_without_pose},
               {"unregistered", report.num_unregistered},
               {"jumps", report.num_jumps},
               {"estimated_poses", report.estimated_poses},
               {"pose_agreement", std::isnan(share) ? Json() : Json(share)},
               {"pose_scale", report.agreement.scale ? Json(*report.agreement.scale) : Json()},
               {"pixels", report.num_pixels},
               {"refused_pixels", report.num_refused_pixels},
               {"frames_of_map", result.num_frames},
               {"blocks", result.num_blocks},
               {"voxels", result.num_voxels},
               {"memory_bytes", result.memory_bytes},
               {"points", result.num_points},
               {"vertices", result.num_vertices},
               {"triangles", result.num_triangles},
               {"seconds", report.seconds},
               {"stages", Json::object()}};
  for (const auto& [name, stage] : kMapStages)
    json["stages"][name] = {{"median_ms", 1000 * (report.*stage).median_s()},
                            {"p95_ms", 1000 * (report.*stage).p95_s()}};
  return dump(json);
}

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
