// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/live_mapping.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "fernwood/core/error.h"
#include "shell/console.h"

namespace fernwood::apps {

namespace {

map::VoxelMap empty_map_for(const MappingArguments& arguments, const forest::Forest& forest,
                            const predict::PredictOptions& predict, const recordings::FrameSource& source) {
  map::check_depth(source);
  return map::empty_map(forest, predict, arguments.options);
}

}  // namespace

void MappingArguments::check(bool has_viewer) const {
  FW_CHECK(!shows || has_viewer, Usage,
           "--map shows the map on the page of --serve and publishes it by --publish ros:; give one of them, too, or "
           "--map-out FILE.ply for its points");
  options.check();
}

LiveMapping::LiveMapping(const MappingArguments& arguments, const forest::Forest& forest,
                         const predict::PredictOptions& predict, const recordings::FrameSource& source,
                         bool every_frame, predict::LiveSink& inner, map::LiveMap::Publish publish)
    : arguments_(arguments),
      forest_(forest),
      source_(source.name()),
      map_(empty_map_for(arguments, forest, predict, source), source.has_poses(), {.every_frame = every_frame},
           arguments.shows ? std::move(publish) : map::LiveMap::Publish()),
      mapping_(inner, map_) {}

void LiveMapping::finish(report::LiveResult& result) {
  report::LiveMapResult& made = result.map.emplace();
  made.report = map_.finish();
  const map::VoxelMap& map = map_.map();
  made.num_voxels = map.num_voxels();
  made.memory_bytes = map.memory_bytes();
  if (made.report.num_fused == 0) {
    spdlog::warn(source_ + ": no frame was mapped, so that no map is written");
    return;
  }
  warn_each(map::recording_warnings(made.report, map, source_));
  if (!arguments_.file.empty()) map::save_map(map, arguments_.file);
  if (arguments_.out.empty()) return;
  const std::vector<map::MapPoint> points = map.points();
  made.num_points = points.size();
  map::write_ply(arguments_.out, points, forest_.classes);
}

void LiveMapping::rescue() {
  try {
    report::LiveResult unfinished;
    finish(unfinished);
    if (unfinished.map->report.num_fused == 0) return;
    for (const std::filesystem::path& file : {arguments_.file, arguments_.out})
      if (!file.empty()) spdlog::warn("what was mapped until then is in {}", file.string());
  } catch (const std::exception& failure) {  // the previous failure is the one to report
    spdlog::warn("what was mapped until then cannot be written: {}", failure.what());
  }
}

}  // namespace fernwood::apps
