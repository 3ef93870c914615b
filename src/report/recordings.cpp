// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/base64.h"
#include "core/json_text.h"
#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/report/description.h"
#include "page/page.h"
#include "report/map_points.h"
#include "report/object_parts.h"
#include "report/pictures.h"

namespace fernwood::report {

using predict::LiveReport;
using namespace page;
using map::MapPoint, map::RecordingReport;

namespace {

constexpr std::array<std::pair<const char*, const Durations LiveReport::*>, 3> kLiveStages = {
    {{"capture", &LiveReport::capture}, {"predict", &LiveReport::predict}, {"show", &LiveReport::show}}};

Json latency_json(const Durations& durations) {
  return {{"latency_ms_median", 1000 * durations.median_s()}, {"latency_ms_p95", 1000 * durations.p95_s()}};
}

std::string stage_rows(const auto& stages, const auto& report, const Durations* latency = nullptr) {
  TextTable table({left("", 10), right("median ms", 12), right("95 % ms", 12)});
  const auto row = [&](const char* name, const Durations& durations) {
    table.row({name, fixed(1000 * durations.median_s(), 2), fixed(1000 * durations.p95_s(), 2)});
  };
  for (const auto& [name, stage] : stages) row(name, report.*stage);
  if (latency) row("latency", *latency);
  return table.text();
}

std::string steady_text(const predict::SteadyReport& steady) {
  const double frames = static_cast<double>(steady.num_frames);
  std::string text =
      format_text("steady: %.0f %% of a frame was followed, %.0f %% evaluated; %zu of %zu frames stand alone\n",
                  100 * steady.followed / frames, 100 * steady.evaluated / frames, steady.num_alone, steady.num_frames);
  if (!steady.why_alone.empty()) text += "  the last but the first of these: " + steady.why_alone + "\n";
  return text;
}

std::string map_line(const LiveMapResult& map) {
  const map::RecordingReport& report = map.report;
  std::string text = format_text(
      "map: %zu frames fused, %zu left out, poses %s; a frame %.0f ms at the median; %zu voxels, %s", report.num_fused,
      report.num_frames - report.num_fused, report.estimated_poses ? "estimated from depth" : "of the source",
      1000 * (report.locate.median_s() + report.integrate.median_s()), map.num_voxels,
      format_bytes(map.memory_bytes).c_str());
  if (map.num_points > 0) text += format_text("; %zu points written", map.num_points);
  return text + "\n";
}

Json map_part(const LiveMapResult& map) {
  const map::RecordingReport& report = map.report;
  return {{"frames", report.num_frames},
          {"mapped", report.num_fused},
          {"without_pose", report.num_without_pose},
          {"unregistered", report.num_unregistered},
          {"jumps", report.num_jumps},
          {"estimated_poses", report.estimated_poses},
          {"voxels", map.num_voxels},
          {"memory_bytes", map.memory_bytes},
          {"points", map.num_points},
          {"locate_ms_median", 1000 * report.locate.median_s()},
          {"integrate_ms_median", 1000 * report.integrate.median_s()}};
}

}  // namespace

std::string live_text(const LiveResult& result) {
  const LiveReport& report = result.report;
  std::string text =
      format_text("%s, %zu x %zu pixels, on %s (%s)\n", printable(result.source).c_str(), result.cols, result.rows,
                  result.device.c_str(), result.layout.c_str()) +
      format_text("%zu frames labelled in %.1f s, %.1f per second; %zu captured, %zu dropped for newer ones\n\n",
                  report.num_shown, report.seconds, report.frames_per_second(), report.num_captured,
                  report.num_dropped) +
      stage_rows(kLiveStages, report, &report.latency) +
      "\nlatency: from when the source had delivered a frame until its labels were shown\n";
  if (report.steady.num_frames > 0) text += steady_text(report.steady);
  if (result.map) text += map_line(*result.map);
  if (report.num_reconnects > 0)
    text += format_text("the camera was lost and came back %zu times\n", report.num_reconnects);
  if (result.num_recorded > 0) text += format_text("%zu frames recorded\n", result.num_recorded);
  return text;
}

std::string live_json(const LiveResult& result) {
  const LiveReport& report = result.report;
  Json json = {{"schema_version", 1},
               {"source", result.source},
               {"device", result.device},
               {"layout", result.layout},
               {"model", result.model_checksum},
               {"rows", result.rows},
               {"cols", result.cols},
               {"every_frame", result.every_frame},
               {"frames", report.num_shown},
               {"captured", report.num_captured},
               {"dropped", report.num_dropped},
               {"recorded", result.num_recorded},
               {"reconnects", report.num_reconnects},
               {"seconds", report.seconds},
               {"frames_per_second", report.frames_per_second()},
               {"labels_checksum", fernwood::to_hex(result.labels_checksum)},
               {"early_memory_bytes", result.early_memory_bytes},
               {"memory_bytes", result.memory_bytes},
               {"stages", Json::object()}};
  if (const predict::SteadyReport& steady = report.steady; steady.num_frames > 0) {
    const double frames = static_cast<double>(steady.num_frames);
    json["steady"] = {{"followed", steady.followed / frames},
                      {"evaluated", steady.evaluated / frames},
                      {"frames_alone", steady.num_alone},
                      {"why_alone", steady.why_alone}};
  }
  if (result.map) json["map"] = map_part(*result.map);
  json.update(latency_json(report.latency));
  for (const auto& [name, stage] : kLiveStages) json["stages"][name] = latency_json(report.*stage);
  return dump(json);
}

namespace {

constexpr std::array<std::pair<const char*, const Durations RecordingReport::*>, 3> kMapStages = {
    {{"locate", &RecordingReport::locate},
     {"predict", &RecordingReport::predict},
     {"integrate", &RecordingReport::integrate}}};

/// A check box for each class of the points, with the area of its surface.
std::string map_legend(const std::vector<MapPoint>& points, const image::ClassMap& classes,
                       const std::vector<double>& areas_m2) {
  std::set<std::uint16_t> labels;
  for (const MapPoint& point : points) labels.insert(point.label);
  std::string html =
      "<div class=\"map-tools\"><button id=\"map-all\">All classes</button><button id=\"map-nothing\">No class"
      "</button></div>\n<ul class=\"map-legend\" aria-label=\"Classes; untick to hide\">\n";
  for (const std::uint16_t label : labels) {
    const bool has_class = label < classes.size();
    const std::string name = has_class ? class_label(classes.classes[label]) : swatch("#808080") + "void";
    html += "<li><label><input type=\"checkbox\" checked data-class=\"" + std::to_string(label) + "\">" + name +
            (has_class ? " <span class=\"soft\">" + fixed(areas_m2[label], areas_m2[label] < 1 ? 2 : 1) + " m²</span>"
                       : "") +
            "</label></li>\n";
  }
  return html + "</ul>\n" + paragraph("Square metres of visible surface, both sides of what was seen from both.");
}

double width_m(const map::OccupancyGrid& grid) { return static_cast<double>(grid.cells.cols()) * grid.cell_m; }
double depth_m(const map::OccupancyGrid& grid) { return static_cast<double>(grid.cells.rows()) * grid.cell_m; }

std::string grid_line(const map::OccupancyGrid& grid) {
  return format_text("%.2f m2 of free floor, in %.1f x %.1f m that were seen\n", grid.free_m2(), width_m(grid),
                     depth_m(grid));
}

Json grid_part(const map::OccupancyGrid& grid) {
  Json axes = Json::array();
  for (const image::Vector3& axis : grid.from_map.rotation) axes.push_back({axis.x, axis.y, axis.z});
  return {{"free_m2", grid.free_m2()},
          {"size_m", {width_m(grid), depth_m(grid)}},
          {"cell_m", grid.cell_m},
          {"origin_m", {grid.x_m, grid.y_m}},
          {"axes", axes},
          {"floor_height_m", -grid.from_map.translation.z}};
}

std::size_t num_gone(const std::vector<objects::TrackedObject>& objects) {
  return static_cast<std::size_t>(
      std::ranges::count(objects, objects::ObjectState::kGone, &objects::TrackedObject::state));
}

std::string objects_line(const std::vector<objects::TrackedObject>& objects, const Durations& durations) {
  return format_text("%s, and %zu that are gone; a frame %.1f ms at the median\n",
                     counted(objects.size() - num_gone(objects), "object").c_str(), num_gone(objects),
                     1000 * durations.median_s());
}

Json objects_part(const std::vector<objects::TrackedObject>& objects, const Durations& durations) {
  return {{"there", objects.size() - num_gone(objects)},
          {"gone", num_gone(objects)},
          {"median_ms", 1000 * durations.median_s()},
          {"p95_ms", 1000 * durations.p95_s()}};
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
  if (result.grid) text += grid_line(*result.grid);
  if (result.objects) text += objects_line(*result.objects, report.objects);
  return text + "\n" + stage_rows(kMapStages, report);
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
               {"grid", result.grid ? grid_part(*result.grid) : Json()},
               {"objects", result.objects ? objects_part(*result.objects, report.objects) : Json()},
               {"seconds", report.seconds},
               {"stages", Json::object()}};
  for (const auto& [name, stage] : kMapStages)
    json["stages"][name] = {{"median_ms", 1000 * (report.*stage).median_s()},
                            {"p95_ms", 1000 * (report.*stage).p95_s()}};
  return dump(json);
}

std::string map_page(const std::vector<MapPoint>& points, const image::ClassMap& classes, double voxel_m,
                     const image::Vector3& up, const std::vector<double>& areas_m2, const std::string& name,
                     std::span<const objects::TrackedObject> objects, std::size_t most_points) {
  PageHead head{.title = "Map" + (name.empty() ? "" : " of " + name),
                .heading = "Map",
                .subtitle_html = name.empty() ? "" : code(name),
                .facts = {{format_count(points.size()), points.size() == 1 ? "point" : "points"},
                          {format_text("%g cm", 100 * voxel_m), "side of a voxel"}},
                .style = std::string(kMapStyle)};
  if (!objects.empty())
    head.facts.emplace_back(format_count(objects.size()), objects.size() == 1 ? "object" : "objects");
  if (points.empty())
    return html_page(head, paragraph("The map has no points: no voxel was seen often enough (--min-weight)."));
  const image::Vector3 normal = map::upright(points, map::floor_classes(classes), up);
  PackedPoints packed = pack_points(points, voxel_m, normal, most_points);
  if (std::max({std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)}) < 1) packed.floor_up = normal;
  if (packed.every > 1)
    head.facts.emplace_back(format_count(packed.num_shown), "points shown, 1 of " + std::to_string(packed.every));
  return html_page(head, map_viewer_html(map_legend(points, classes, areas_m2)) +
                             "<script id=\"map-facts\" type=\"application/json\">" +
                             json_text(facts_of(packed, classes)) +
                             "</script>\n<script id=\"map-points\" type=\"text/plain\">" + to_base64(packed.records) +
                             "</script>\n<script type=\"module\">\n" + std::string(kMapScript) + "</script>" +
                             (objects.empty() ? "" : section("Objects", "", map_objects_html(objects, classes))));
}

}  // namespace fernwood::report
