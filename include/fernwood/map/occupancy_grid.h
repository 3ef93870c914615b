// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The floor of a map from above: where a robot may drive, as Nav2's map server reads it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/option_table.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/labels.h"
#include "fernwood/map/voxel_map.h"

namespace fernwood::map {

struct GridOptions {
  std::vector<std::string> floor = {};  ///< Classes that are floor; empty: those that are by their names.
  double cell_m = 0.05;                 ///< Side of a cell, metres, [0.01, 1].
  /// Heights above the floor between which points are obstacles, metres, [0, 10]: those of a robot, with a margin below
  /// for the noise of depth.
  double min_obstacle_m = 0.1, max_obstacle_m = 2;

  static OptionTable<GridOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// Cells of the floor's plane. Coordinates of the grid are metres along its columns (x) and rows (y), and above the
/// floor (z).
struct OccupancyGrid {
  static constexpr std::int8_t kUnknown = -1, kFree = 0, kOccupied = 100;  ///< As in nav_msgs/OccupancyGrid.

  Array2<std::int8_t> cells;         ///< [along y][along x], over all points of the map; at least one cell.
  double cell_m = 0;                 ///< Side of a cell.
  double x_m = 0, y_m = 0;           ///< The corner of cell (0, 0), a multiple of the side: cells stay where they are.
  image::RigidMotion from_map = {};  ///< From coordinates of the map to those of the grid.

  /// Area of the cells that are free, in square metres.
  double free_m2() const;
};

/// [class] Whether it is floor. @throws OptionError for a name in GridOptions::floor that is not a class.
std::vector<bool> floor_classes(const image::ClassMap& classes, const GridOptions& options = {});
/// As floor_classes(), where a floor is needed. @throws Error(kUsage) also where no class is floor.
std::vector<bool> required_floor(const image::ClassMap& classes, const GridOptions& options = {});

/// A cell with a point of another class than floor at an obstacle's height is occupied, another one with floor is free,
/// and all others are unknown. Up is the normal of the plane with most points of floor; an axis of the map within
/// two degrees of it is up itself, so that a map whose z axis is up and its grid have the same axes. Where too little
/// floor was seen, up is the axis nearest to VoxelMap::up(), and heights are above the lowest points.
/// @throws OptionError; Error(kData) for a map whose extent has too many cells.
OccupancyGrid occupancy_grid(const VoxelMap& map, const GridOptions& options = {});

/// Up in a map, as of occupancy_grid(). @param is_floor  [class]. @param roughly_up  VoxelMap::up().
image::Vector3 upright(const std::vector<MapPoint>& points, const std::vector<bool>& is_floor,
                       const image::Vector3& roughly_up);

/// Writes FILE.pgm and then FILE.yaml, which names it, as Nav2's map server reads them: mode trinary, and as origin
/// that of cell (0, 0), whose row is the image's last. @param path  Of FILE.yaml. @throws Error as
/// write_file_atomically().
void write_grid(const std::filesystem::path& path, const OccupancyGrid& grid);
/// The image of a grid's file.
std::filesystem::path grid_image(const std::filesystem::path& path);

}  // namespace fernwood::map
