// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/voxel_recording.h"

namespace fernwood::map {

namespace {

using O = MapOptions;

constexpr std::array kMapRows = {
    option<&O::voxel_m>("voxel-size", "Side of a voxel, in metres").takes("METRES").in(from_to(0.01, 0.05)),
    option<&O::max_range_m>("max-range", "Depth beyond which pixels are left out of the map, in metres")
        .takes("METRES")
        .in(from_to(0.2, 32)),
    option<&O::render_cell_m>("render-cell",
                              "Side of the cells by which frames are rendered, in metres: larger ones give steadier "
                              "labels, smaller ones more detail")
        .takes("METRES")
        .in(from_to(0.01, 0.1)),
    option<&O::min_weight>("min-weight",
                           "Least weight of a voxel that points and meshes show; a frame weighs 4 up to 2 m, 1 from "
                           "3.3 m on")
        .in(from_to(1, 128)),
    size_option<std::size_t{1} << 20, &O::memory_budget_bytes>(
        "memory-budget", "Memory of the map; a full one takes no new places and says how much is left out")
        .default_means("1 GiB"),
};

constexpr std::array kRecordingRows = {
    option<&RecordingOptions::every>("every", "Map one frame in N").takes("N").in(at_least(1)),
    option<&RecordingOptions::max_frames>("frames", "Number of frames to map; 0: until the source ends"),
};

}  // namespace

OptionTable<MapOptions> MapOptions::table() { return kMapRows; }
OptionTable<RecordingOptions> RecordingOptions::table() { return kRecordingRows; }
void RecordingOptions::check() const { check_options(table(), *this); }
void MapOptions::check() const { check_options(table(), *this); }

}  // namespace fernwood::map
