// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Descriptions of data sets, models, machines and live runs, for people (tables, pages) and for programs (JSON: one
// object, indented by two spaces, with a final newline). Tables are in UTF-8 and at most 100 columns wide, except where
// names are longer; `color` enables ANSI colours.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/machine.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/check.h"
#include "fernwood/forest/forest.h"
#include "fernwood/map/occupancy_grid.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"

namespace fernwood::report {

/// The result of a check of a data set; problems come last. @param worded  Words sentences that name options for a
/// front end.
std::string dataset_table(const dataset::DatasetReport& report,
                          const SentenceWords& worded = &OptionSentence::on_command_line);
/// Keys: docs/reference/datasets.md.
std::string dataset_json(const dataset::DatasetReport& report,
                         const SentenceWords& worded = &OptionSentence::on_command_line);
/// One page that opens offline, with the result of the check and thumbnails of at most `max_frames` frames, evenly
/// spread.
std::string dataset_page(const dataset::DatasetReport& report, ThreadPool& pool, std::size_t max_frames = 48,
                         const SentenceWords& worded = &OptionSentence::on_command_line);

/// The feature maps that a forest reads, in one line; for a forest that reads none, how to provide some.
std::string maps_text(const image::Preparation& preparation);
/// Trees, classes and options of a forest, and the channels that its splits read. @param checksum  Of the model file.
std::string model_table(const forest::Forest& forest, const forest::ForestSummary& summary,
                        const std::string& checksum);
/// Keys: docs/reference/model_file.md.
std::string model_json(const forest::Forest& forest, const forest::ForestSummary& summary, const std::string& checksum);

/// What forests have measured on this processor, for machine_table() and machine_json().
ProcessorFacts processor_facts(const forest::GatherReport& gather);

/// Result of the map that was built during a live run.
struct LiveMapResult {
  map::RecordingReport report;
  std::size_t num_voxels = 0, memory_bytes = 0;
  std::size_t num_points = 0;  ///< Points written to files.
};

/// Description and result of a run over a camera or a recording.
struct LiveResult {
  std::string source, device, layout, model_checksum;
  std::size_t rows = 0, cols = 0;
  bool every_frame = false;
  predict::LiveReport report;
  std::uint64_t labels_checksum = 0;  ///< Checksum over the labels of all frames shown, in order.
  std::size_t num_recorded = 0;
  std::size_t early_memory_bytes = 0, memory_bytes = 0;  ///< Memory of the process after 100 frames, and at the end.
  std::optional<LiveMapResult> map = {};
};

/// Summary in lines of text.
std::string live_text(const LiveResult& result);
/// Keys: docs/reference/live.md.
std::string live_json(const LiveResult& result);

/// Sources and content of a map.
struct MapResult {
  std::string source, device, model_checksum;
  map::MapOptions options;
  map::RecordingReport report;
  std::size_t num_frames = 0;  ///< All frames of the map, including those of earlier runs.
  std::size_t num_blocks = 0, num_voxels = 0, memory_bytes = 0;
  std::size_t num_points = 0, num_vertices = 0, num_triangles = 0;  ///< Written to files.
  std::optional<map::OccupancyGrid> grid = {};                      ///< If it was written.
  std::optional<std::vector<objects::TrackedObject>> objects = {};  ///< Those of map::find_objects(), if tracked.
};

/// Summary in lines of text.
std::string map_text(const MapResult& result);
/// Keys: docs/reference/map.md.
std::string map_json(const MapResult& result);
/// One page that opens offline and shows the points, rotating, in WebGL.
/// @param voxel_m      Size of the points.
/// @param up           See VoxelMap::up(). Where the floor was seen, its normal is up.
/// @param areas_m2     [class] See map::class_areas_m2().
/// @param name         Name of the mapped source; may be empty.
/// @param objects      Listed below the map.
/// @param most_points  Maximum number of points: of more points only every k-th is shown, which the page states.
std::string map_page(const std::vector<map::MapPoint>& points, const image::ClassMap& classes, double voxel_m,
                     const image::Vector3& up, const std::vector<double>& areas_m2, const std::string& name,
                     std::span<const objects::TrackedObject> objects = {}, std::size_t most_points = 400'000);

/// The InputRule of commands that read frames. In a folder of frames, they may read an image, an array, or a list of
/// frames, and the dataset.toml above it; in a folder without frames named as in a data set, any file.
bool is_read_with(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace fernwood::report
