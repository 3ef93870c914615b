// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What data sets, models, machines and live runs are, for people (tables, pages) and for programs (JSON: one object,
// indented by two spaces, with a final newline). Tables are in UTF-8, at most 100 columns wide but for names; `color`
// gives them ANSI colours.

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/machine.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/check.h"
#include "fernwood/forest/gather.h"
#include "fernwood/forest/summary.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::report {

/// What a check of a data set found; problems come last. @param worded  As a front end writes sentences that name
/// options.
std::string dataset_table(const dataset::DatasetReport& report,
                          const SentenceWords& worded = &OptionSentence::on_command_line);
/// Keys: docs/reference/datasets.md.
std::string dataset_json(const dataset::DatasetReport& report,
                         const SentenceWords& worded = &OptionSentence::on_command_line);
/// One page that opens offline: what the check found and thumbnails of at most `max_frames` frames, evenly spread.
std::string dataset_page(const dataset::DatasetReport& report, ThreadPool& pool, std::size_t max_frames = 48,
                         const SentenceWords& worded = &OptionSentence::on_command_line);

/// The feature maps that a forest reads, in a line; of one that reads none, what would give some.
std::string maps_text(const image::Preparation& preparation);
/// A forest: its trees, classes, options, and the channels that its splits read. @param checksum  Of the model file.
std::string model_table(const forest::Forest& forest, const forest::ForestSummary& summary,
                        const std::string& checksum);
/// Keys: docs/reference/model_file.md.
std::string model_json(const forest::Forest& forest, const forest::ForestSummary& summary, const std::string& checksum);
/// The same of a forest over records.
std::string model_table(const records::RecordForest& forest, const records::RecordSummary& summary,
                        const std::string& checksum);
std::string model_json(const records::RecordForest& forest, const records::RecordSummary& summary,
                       const std::string& checksum);

/// What this build and this machine can do, and what is missing.
std::string machine_table(const MachineReport& report, const forest::GatherReport& gather, bool color);
/// Keys: docs/reference/devices.md.
std::string machine_json(const MachineReport& report, const forest::GatherReport& gather);

/// What a map was that was made of labelled frames meanwhile.
struct LiveMapResult {
  map::RecordingReport report;
  std::size_t num_voxels = 0, memory_bytes = 0;
  std::size_t num_points = 0;  ///< That were written.
};

/// What a run over a camera or a recording was, and what it did.
struct LiveResult {
  std::string source, device, layout, model_checksum;
  std::size_t rows = 0, cols = 0;
  bool every_frame = false;
  predict::LiveReport report;
  std::uint64_t labels_checksum = 0;  ///< Over the labels of all frames shown, in order.
  std::size_t num_recorded = 0;
  std::size_t early_memory_bytes = 0, memory_bytes = 0;  ///< After 100 frames, and at the end.
  std::optional<LiveMapResult> map = {};
};

/// Lines for people.
std::string live_text(const LiveResult& result);
/// Keys: docs/reference/live.md.
std::string live_json(const LiveResult& result);

/// What a map was made of, and what it holds.
struct MapResult {
  std::string source, device, model_checksum;
  map::MapOptions options;
  map::RecordingReport report;
  std::size_t num_frames = 0;  ///< Of the map: those of earlier runs, too.
  std::size_t num_blocks = 0, num_voxels = 0, memory_bytes = 0;
  std::size_t num_points = 0, num_vertices = 0, num_triangles = 0;  ///< That were written.
};

/// Lines for people.
std::string map_text(const MapResult& result);
/// Keys: docs/reference/map.md.
std::string map_json(const MapResult& result);
/// One page that opens offline: the points, turning, in WebGL. @param voxel_m  How large they are.
/// @param up  As VoxelMap::up(). @param name  Of what was mapped; may be empty. @param most_points  Of more, every k-th
/// is shown, so that no more are, and the page says so.
std::string map_page(const std::vector<map::MapPoint>& points, const image::ClassMap& classes, double voxel_m,
                     const image::Vector3& up, const std::string& name, std::size_t most_points = 400'000);

}  // namespace fernwood::report
