// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result_json.h"
#include "fernwood/map/voxel_map.h"

namespace fernwood::report {

// Files of src/report/page: map.js shows points packed by pack_points() in the elements of map_viewer_html(), whose
// style is map.css.
extern const std::string_view kMapScript, kMapStyle;

/// The points of a map in the format of page/map.js.
struct PackedPoints {
  std::vector<std::uint8_t> records;
  std::size_t every = 1, num_shown = 0;    ///< Only every k-th point is shown.
  std::array<double, 3> low{};             ///< The lowest corner, in metres.
  double step_m = 1;                       ///< Positions are multiples of this from there, along all axes.
  double point_m = 0;                      ///< Size of a point.
  std::string up = "-y";                   ///< The axis that points up, from how the cameras were held.
  std::optional<image::Vector3> floor_up;  ///< The floor's normal, if it is up and no axis.
};
/// @param up  As VoxelMap::up(). @param most_points  If there are more, only every k-th is shown, at a larger size, as
/// they are farther apart.
PackedPoints pack_points(const std::vector<map::MapPoint>& points, double voxel_m, const image::Vector3& up,
                         std::size_t most_points);

/// The parameters of the script, besides the records.
Json facts_of(const PackedPoints& packed, const image::ClassMap& classes);

/// A canvas with its controls. @param below_html  Shown below it; hidden with it if the browser cannot show it.
std::string map_viewer_html(const std::string& below_html);

}  // namespace fernwood::report
