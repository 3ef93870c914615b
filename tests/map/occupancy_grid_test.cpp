// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/occupancy_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "map/mapped_room.h"
#include "sentences.h"

namespace fernwood::map {
namespace {

/// What a camera sees that looks straight down from 2 m: floor of class 0, and in its middle a box of class 1, 0.4 x
/// 0.4 x 0.5 m.
image::Frame floor_with_box(image::LabelImage* labels) {
  image::Frame frame;
  frame.depth_mm = Array2<std::uint16_t>(kRoomRows, kRoomCols, 2000);
  frame.camera = kRoomCamera;
  *labels = image::LabelImage(kRoomRows, kRoomCols, 0);
  for (std::size_t row = 0; row < kRoomRows; ++row)
    for (std::size_t col = 0; col < kRoomCols; ++col) {
      const float x = (static_cast<float>(col) - kRoomCamera.cx) / kRoomCamera.fx * 1.5f;
      const float y = (static_cast<float>(row) - kRoomCamera.cy) / kRoomCamera.fy * 1.5f;
      if (std::abs(x) > 0.2f || std::abs(y) > 0.2f) continue;
      frame.depth_mm(row, col) = 1500;
      (*labels)(row, col) = 1;
    }
  return frame;
}

/// Pose of this camera above the origin of coordinates whose z axis is up, and which are then turned.
image::RigidMotion looking_down(const image::RigidMotion& turn = {}) {
  return then(image::RigidMotion{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {0, 0, 2}}, turn);
}

VoxelMap map_of(const image::RigidMotion& pose, const image::ClassMap& classes) {
  VoxelMap map({.min_weight = 1}, classes);
  ThreadPool pool(2);
  image::LabelImage labels;
  const image::Frame frame = floor_with_box(&labels);
  map.integrate_labels(frame, pose, labels, pool);
  return map;
}

std::size_t count(const OccupancyGrid& grid, std::int8_t cell) {
  return static_cast<std::size_t>(std::ranges::count(grid.cells, cell));
}

/// The floor seen is 2.4 x 1.8 m; without the shadow of the box, a square of 0.533 m.
void expect_floor_and_box(const OccupancyGrid& grid) {
  EXPECT_NEAR(static_cast<double>(count(grid, OccupancyGrid::kOccupied)) * 0.0025, 0.4 * 0.4, 0.05);
  EXPECT_NEAR(grid.free_m2(), 2.4 * 1.8 - 0.533 * 0.533, 0.25);
  const auto at = [&](double x, double y) {
    return grid.cells(static_cast<std::size_t>((y - grid.y_m) / grid.cell_m),
                      static_cast<std::size_t>((x - grid.x_m) / grid.cell_m));
  };
  EXPECT_EQ(at(0.01, 0.01), OccupancyGrid::kOccupied);
  EXPECT_EQ(at(0.5, 0.01), OccupancyGrid::kFree);
  EXPECT_EQ(at(0.01, -0.5), OccupancyGrid::kFree);
  EXPECT_EQ(at(0.233, 0.01), OccupancyGrid::kUnknown) << "behind the box's edge";
}

TEST(OccupancyGrid, FloorIsFreeAndWhatStandsOnItIsOccupied) {
  const OccupancyGrid grid = occupancy_grid(map_of(looking_down(), named({"floor", "box"})));
  EXPECT_EQ(grid.from_map.rotation[2], (image::Vector3{0, 0, 1}));
  EXPECT_EQ(grid.from_map.rotation[0], (image::Vector3{1, 0, 0}));
  EXPECT_NEAR(grid.from_map.translation.z, 0, 0.002);
  EXPECT_NEAR(grid.cells.cols() * grid.cell_m, 2.4, 0.11);
  EXPECT_NEAR(grid.cells.rows() * grid.cell_m, 1.8, 0.11);
  EXPECT_NEAR(std::remainder(grid.x_m, 0.05), 0, 1e-9);
  expect_floor_and_box(grid);
}

TEST(OccupancyGrid, UpIsTheNormalOfTheFloor) {
  for (const double degrees : {30.0, 90.0, -60.0}) {
    const double angle = degrees * 3.14159265358979 / 180;
    const auto sine = static_cast<float>(std::sin(angle)), cosine = static_cast<float>(std::cos(angle));
    // Turned about x: the grid's x axis stays that of the map.
    const image::RigidMotion turn{{{1, 0, 0}, {0, cosine, -sine}, {0, sine, cosine}}, {0, 0, 5}};
    const OccupancyGrid grid = occupancy_grid(map_of(looking_down(turn), named({"Rug", "box"})));
    const image::Vector3& up = grid.from_map.rotation[2];
    EXPECT_GT(up.y * -sine + up.z * cosine, 0.9999f) << degrees;
    const image::Vector3 origin = grid.from_map({0, 0, 5});
    EXPECT_NEAR(origin.z, 0, 0.01) << degrees;
  }
}

TEST(OccupancyGrid, ObstaclesAreThoseOfTheRobotsHeight) {
  const VoxelMap map = map_of(looking_down(), named({"floor", "box"}));
  EXPECT_EQ(count(occupancy_grid(map, {.max_obstacle_m = 0.4}), OccupancyGrid::kOccupied), 0u);
  EXPECT_EQ(count(occupancy_grid(map, {.min_obstacle_m = 0.6}), OccupancyGrid::kOccupied), 0u);
  EXPECT_GT(count(occupancy_grid(map, {.min_obstacle_m = 0.4, .max_obstacle_m = 0.6}), OccupancyGrid::kOccupied), 0u);
}

TEST(OccupancyGrid, FloorIsWhatItsNameSaysOrTheOption) {
  const image::ClassMap classes = named({"Ground", "wall", "carpet", "floor plan"});
  EXPECT_EQ(floor_classes(classes), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(floor_classes(classes, {.floor = {"wall"}}), (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(floor_classes(named({"chair"})), std::vector<bool>{false});
  testdata::expect_refused(ErrorKind::kUsage, [&] { floor_classes(classes, {.floor = {"walls"}}); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { required_floor(named({"chair"})); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { GridOptions{.min_obstacle_m = 2}.check(); });
  const OccupancyGrid grid = occupancy_grid(map_of(looking_down(), named({"box", "floor"})), {.floor = {"box"}});
  expect_floor_and_box(grid);
}

TEST(OccupancyGrid, AnEmptyMapIsOneUnknownCell) {
  const OccupancyGrid grid = occupancy_grid(VoxelMap({}, named({"floor"})));
  EXPECT_EQ(grid.cells, Array2<std::int8_t>(1, 1, OccupancyGrid::kUnknown));
  EXPECT_EQ(grid.free_m2(), 0);
}

TEST(OccupancyGrid, FilesAreThoseOfTheMapServer) {
  OccupancyGrid grid{.cells = Array2<std::int8_t>(2, 3, OccupancyGrid::kUnknown), .cell_m = 0.1, .x_m = -1.2, .y_m = 3};
  grid.cells(0, 1) = OccupancyGrid::kFree;
  grid.cells(1, 2) = OccupancyGrid::kOccupied;
  const dataset::TestFolder folder;
  write_grid(folder / "room 1.yaml", grid);
  EXPECT_EQ(read_text(folder / "room 1.yaml"),
            "image: \"room 1.pgm\"\nmode: trinary\nresolution: 0.1\norigin: [-1.2, 3, 0]\nnegate: 0\n"
            "occupied_thresh: 0.65\nfree_thresh: 0.196\n");
  const std::string image = read_text(folder / "room 1.pgm");
  EXPECT_EQ(image, std::string("P5\n3 2\n255\n\xcd\xcd\x00\xcd\xfe\xcd", 17)) << "the highest y comes first";
  // Darkness, by which the map server decides, is between the thresholds for unknown cells.
  EXPECT_GT((255 - 0xcd) / 255.0, 0.196);
}

}  // namespace
}  // namespace fernwood::map
