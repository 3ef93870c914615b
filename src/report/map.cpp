// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <cmath>
#include <utility>

#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"
#include "fernwood/report/description.h"

namespace fernwood::report {

using map::RecordingReport;

namespace {

constexpr std::array<std::pair<const char*, const Durations RecordingReport::*>, 3> kMapStages = {
    {{"locate", &RecordingReport::locate},
     {"predict", &RecordingReport::predict},
     {"integrate", &RecordingReport::integrate}}};

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

}  // namespace fernwood::report
