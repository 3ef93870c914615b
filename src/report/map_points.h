// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/map/voxel_map.h"
#include "report/json.h"

namespace fernwood::report {

// The files of src/report/page: map.js shows points that pack_points() packs in the elements of map_viewer_html(),
// which map.css is for.
extern const std::string_view kMapScript, kMapStyle;

/// The points of a map as page/map.js reads them.
struct PackedPoints {
  std::vector<std::uint8_t> records;
  std::size_t every = 1, num_shown = 0;  ///< Of the points every k-th is shown.
  std::array<double, 3> low{};           ///< The lowest corner of all, metres.
  double step_m = 1;                     ///< Places are whole steps from there, the same along all axes.
  double point_m = 0;                    ///< How large they are.
  std::string up = "-y";                 ///< The axis that points up, as the cameras were held.
};
/// @param up  As VoxelMap::up(). @param most_points  Of more, every k-th is shown, so that no more are, and larger as
/// they lie farther apart.
PackedPoints pack_points(const std::vector<map::MapPoint>& points, double voxel_m, const image::Vector3& up,
                         std::size_t most_points);

/// What the script needs to know besides the records.
Json facts_of(const PackedPoints& packed, const image::ClassMap& classes);

/// A canvas, and what is to be chosen about it. @param below_html  Goes with it where a browser cannot show it.
std::string map_viewer_html(const std::string& below_html);

}  // namespace fernwood::report
