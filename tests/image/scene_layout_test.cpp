// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/scene_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

namespace fernwood::image {
namespace {

constexpr double kDegree = 3.14159265358979 / 180;
const Camera kRoomCamera = {160, 120, 131.25f, 131.25f, 79.5f, 59.5f};

/// Orientation of the camera in degrees: rolled about the optical axis, then pitched down.
struct Pose {
  double roll, pitch;
};

/// A direction in the camera's frame, transformed to a room with y down and z ahead, parallel to the floor.
Vector3 in_room(const Vector3& v, const Pose& pose) {
  const double c = std::cos(pose.roll * kDegree), s = std::sin(pose.roll * kDegree);
  const double x = c * v.x + s * v.y, y = -s * v.x + c * v.y;
  const double cp = std::cos(pose.pitch * kDegree), sp = std::sin(pose.pitch * kDegree);
  return {static_cast<float>(x), static_cast<float>(cp * y + sp * v.z), static_cast<float>(cp * v.z - sp * y)};
}

Vector3 sight_of(std::size_t x, std::size_t y) {
  return {ray(static_cast<float>(x), kRoomCamera.cx, kRoomCamera.fx),
          ray(static_cast<float>(y), kRoomCamera.cy, kRoomCamera.fy), 1.0f};
}

/// A floor 1.2 m below the camera, a wall 3 m ahead, and in front of it, 2 m ahead, a board 0.6 m wide and 1 m high.
Array2<std::uint16_t> board_before_wall(const Pose& pose) {
  Array2<std::uint16_t> depth_mm(120, 160);
  for (std::size_t y = 0; y < 120; ++y)
    for (std::size_t x = 0; x < 160; ++x) {
      const Vector3 sight = in_room(sight_of(x, y), pose);
      const float to_board = 2000 / sight.z;
      const bool hits = std::abs(sight.x * to_board) < 300 && sight.y * to_board > 200 && sight.y * to_board < 1200;
      const float to_floor = sight.y > 0 ? 1200 / sight.y : 1e9f;
      depth_mm(y, x) = static_cast<std::uint16_t>(std::lround(std::min(hits ? to_board : 3000 / sight.z, to_floor)));
    }
  return depth_mm;
}

/// The "behind" channel at a place of the room, which is in mm to the right of, below and ahead of the camera.
std::int16_t behind_at(const Array2<std::uint16_t>& depth_mm, const Pose& pose, const Vector3& place) {
  Geometry geometry = measure_geometry(depth_mm, kRoomCamera, kImageUp);
  geometry.orientation.up = {-in_room({1, 0, 0}, pose).y, -in_room({0, 1, 0}, pose).y, -in_room({0, 0, 1}, pose).y};
  const SceneLayout room = measure_scene_layout(geometry);
  const double along = std::sqrt(static_cast<double>(dot(place, place)));
  double best = 0;
  std::pair<std::size_t, std::size_t> seen;
  for (std::size_t y = 0; y < 120; ++y)
    for (std::size_t x = 0; x < 160; ++x) {
      const Vector3 sight = in_room(sight_of(x, y), pose);
      const double cosine = static_cast<double>(dot(sight, place)) / along / std::sqrt(dot(sight, sight));
      if (cosine > best) best = cosine, seen = {y / kCellSize, x / kCellSize};
    }
  EXPECT_GT(best, 0.9999) << "outside of the image";
  return room.behind(seen.first, seen.second);
}

class BehindABoard : public testing::TestWithParam<Pose> {};
INSTANTIATE_TEST_SUITE_P(Held, BehindABoard,
                         testing::Values(Pose{0, 10}, Pose{20, 10}, Pose{-35, 15}, Pose{0, 20}, Pose{15, 20}));

TEST_P(BehindABoard, IsTheFreeSpaceToTheWallHoweverTheCameraIsHeld) {
  const Array2<std::uint16_t> depth_mm = board_before_wall(GetParam());
  EXPECT_NEAR(behind_at(depth_mm, GetParam(), {0, 600, 2000}), 1000, 60);
  EXPECT_NEAR(behind_at(depth_mm, GetParam(), {600, 500, 3000}), 0, 60);  // the wall
  // The floor at a distance of 2648 mm; the wall is 3055 mm away in that direction. A cell covers 200 mm of the floor.
  EXPECT_NEAR(behind_at(depth_mm, GetParam(), {-500, 1200, 2600}), 407, 120);
}

TEST_P(BehindABoard, HolesDoNotMatter) {
  Array2<std::uint16_t> depth_mm = board_before_wall(GetParam());
  std::mt19937 random(1);
  for (std::uint16_t& depth : depth_mm)
    if (random() % 10 < 6) depth = 0;
  EXPECT_NEAR(behind_at(depth_mm, GetParam(), {0, 600, 2000}), 1000, 60);
}

/// The image after `quarters` clockwise quarter turns.
template <typename T>
Array2<T> turned(Array2<T> image, int quarters) {
  for (int i = 0; i < quarters; ++i) {
    Array2<T> next(image.cols(), image.rows());
    for (std::size_t y = 0; y < next.rows(); ++y)
      for (std::size_t x = 0; x < next.cols(); ++x) next(y, x) = image(image.rows() - 1 - x, y);
    image = std::move(next);
  }
  return image;
}

TEST(SceneLayout, AboveIsTheHeightOverTheLevelSurfaceBelowWhicheverSideIsDown) {
  // A wall 2 m ahead of a level camera; in front of its right half a table, 800 mm below the camera.
  Array2<std::uint16_t> depth_mm(120, 120, 2000);
  for (std::size_t y = 60; y < 120; ++y)
    for (std::size_t x = 60; x < 120; ++x) {
      const double to_table = 800 * 60 / (static_cast<double>(y) - 59.5);
      depth_mm(y, x) = static_cast<std::uint16_t>(std::min(2000.0, to_table));
    }
  const Camera camera = {120, 120, 60.0f, 60.0f, 59.5f, 59.5f};
  const std::array<Vector3, 4> ups = {{kImageUp, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}}};
  for (int quarters = 0; quarters < 4; ++quarters) {
    SCOPED_TRACE(quarters);
    const Vector3& up = ups[static_cast<std::size_t>(quarters)];
    Geometry geometry = measure_geometry(turned(depth_mm, quarters), camera, up);
    geometry.orientation = {up, -1500};
    const Array2<std::int16_t> above = turned(measure_scene_layout(geometry).above, (4 - quarters) % 4);
    EXPECT_NEAR(above(15, 25), 733, 40);  // the wall, 67 mm below the camera, above the table
    EXPECT_NEAR(above(27, 25), 0, 40);    // the table
    EXPECT_NEAR(above(15, 5), 1433, 10);  // the wall above the floor
  }
}

TEST(SceneLayout, AboveLooksThroughHolesAndIsUnknownThere) {
  Array2<std::uint16_t> depth_mm(120, 160, 2000);
  for (std::size_t y = 80; y < 112; ++y)
    for (std::size_t x = 0; x < 160; ++x) depth_mm(y, x) = 0;
  Geometry geometry = measure_geometry(depth_mm, kRoomCamera, kImageUp);
  geometry.orientation = {kImageUp, -1200};
  std::ranges::fill(geometry.upright, std::int16_t{0});
  geometry.upright(28, 20) = 4096;  // its centre is 54 pixels below that of the image, 823 mm
  const Array2<std::int16_t> above = measure_scene_layout(geometry).above;
  EXPECT_EQ(above(28, 20), 0);
  EXPECT_EQ(above(19, 20), 823 - 274);  // 18 pixels below the centre
  EXPECT_EQ(above(19, 21), 1200 - 274);
  EXPECT_EQ(above(29, 20), 1200 - 884);  // a level surface above it does not support it
  EXPECT_EQ(above(25, 20), kUnknown);
}

TEST(SceneLayout, BehindIsUnknownExactlyWhereDepthIs) {
  Array2<std::uint16_t> depth_mm(13, 10);
  depth_mm(1, 2) = 1500;
  depth_mm(12, 9) = 2500;
  const SceneLayout room = measure_scene_layout(measure_geometry(depth_mm, kRoomCamera, kImageUp));
  ASSERT_EQ(room.behind.rows(), 4u);
  ASSERT_EQ(room.behind.cols(), 3u);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t col = 0; col < 3; ++col)  // no other cell lies in its direction
      EXPECT_EQ(room.behind(row, col), (row == 0 && col == 0) || (row == 3 && col == 2) ? 0 : kUnknown);
}

TEST(SceneLayout, NothingKnownIsNoError) {
  const SceneLayout room = measure_scene_layout(measure_geometry(Array2<std::uint16_t>(1, 1), kRoomCamera, {0, 0, 1}));
  EXPECT_EQ(room.behind(0, 0), kUnknown);
  EXPECT_EQ(room.above(0, 0), kUnknown);
}

TEST(RoomFormulas, LinesGoUp) {
  const auto lines_of = [](const Vector3& up) {
    const CellLines lines = cell_lines(up, 3, 5);
    return std::array{lines.lines, lines.steps, lines.cell(0, 0), lines.cell(1, 0), lines.cell(0, 1)};
  };
  EXPECT_EQ(lines_of({0.1f, -0.9f, 0.3f}), (std::array{5, 3, 10, 11, 5}));
  EXPECT_EQ(lines_of({0.1f, 0.9f, 0.3f}), (std::array{5, 3, 0, 1, 5}));
  EXPECT_EQ(lines_of({-0.9f, 0.1f, 0.3f}), (std::array{3, 5, 4, 9, 3}));
  EXPECT_EQ(lines_of({0.9f, 0.1f, 0.3f}), (std::array{3, 5, 0, 5, 1}));
  EXPECT_EQ(lines_of({0, 0, -1}), (std::array{5, 3, 10, 11, 5}));
}

TEST(RoomFormulas, AheadIsOverTheFloor) {
  const FloorAxes level = floor_axes(kImageUp);
  EXPECT_EQ(level.right, (Vector3{1, 0, 0}));
  EXPECT_EQ(level.ahead, (Vector3{0, 0, 1}));
  const FloorAxes tilted = floor_axes({0.0f, -0.8f, -0.6f});  // pitched down
  EXPECT_NEAR(tilted.ahead.y, -0.6, 1e-6);
  EXPECT_NEAR(tilted.ahead.z, 0.8, 1e-6);
  EXPECT_NEAR(tilted.right.x, 1, 1e-6);
  const FloorAxes down = floor_axes({0, 0, -1});
  EXPECT_EQ(down.ahead, kImageUp);
  EXPECT_EQ(down.right, (Vector3{1, 0, 0}));
}

TEST(RoomFormulas, PlacesAreWholeMillimetresWithinTheLimit) {
  const FloorAxes axes = floor_axes(kImageUp);
  const FloorPlace place = floor_place(2000.0f, axes, -0.25f, 0.7f);
  EXPECT_EQ(place.right, -500);
  EXPECT_EQ(place.ahead, 2000);
  EXPECT_EQ(distance_mm({-300, 400}), 500);
  EXPECT_EQ(floor_place(32768.0f, axes, 1.0f, 0.0f).right, kFarthestMm);
  EXPECT_EQ(floor_place(32768.0f, axes, -1e6f, 0.0f).right, -kFarthestMm);
  EXPECT_EQ(distance_mm({kFarthestMm, kFarthestMm}), kFarthestMm);
}

TEST(RoomFormulas, BinsAreTwoCellsWide) {
  EXPECT_EQ(bins_of_quarter(kKinect), 65);
  EXPECT_EQ(bins_of_quarter(scaled(kKinect, 160, 120)), 16);
  EXPECT_EQ(bins_of_quarter({4, 4, 0.001f, 500.0f, 0, 0}), 1);
  EXPECT_EQ(bins_of_quarter({4, 4, 1e6f, 500.0f, 0, 0}), kMaxBinsOfQuarter);
}

TEST(RoomFormulas, DirectionsGoRoundTheCircle) {
  const auto direction_bin = [](const FloorPlace& place) { return image::direction_bin(place, 128); };
  EXPECT_EQ(direction_bin({0, 0}), 0);
  EXPECT_EQ(direction_bin({0, 500}), 0);
  EXPECT_EQ(direction_bin({250, 250}), 64);
  EXPECT_EQ(direction_bin({500, 0}), 128);
  EXPECT_EQ(direction_bin({250, -250}), 191);
  EXPECT_EQ(direction_bin({0, -500}), 255);
  EXPECT_EQ(direction_bin({-1, -500}), 256);
  EXPECT_EQ(direction_bin({-500, 0}), 383);
  EXPECT_EQ(direction_bin({-1, 500}), 511);
  EXPECT_EQ(direction_bin({kFarthestMm, kFarthestMm}), 64);
  std::int32_t last = 0;
  for (int degree = 0; degree < 360; ++degree) {
    const std::int32_t bin = direction_bin({static_cast<std::int32_t>(10000 * std::sin(degree * kDegree)),
                                            static_cast<std::int32_t>(10000 * std::cos(degree * kDegree))});
    EXPECT_GE(bin, last) << degree;
    last = bin;
  }
  EXPECT_LT(last, 512);
}

TEST(RoomFormulas, BehindIsWhatIsFartherInTheSameDirection) {
  // 67108 / 2^26 per mm: a depth of 1000 mm. The ray is level, and goes 3 to the right for 4 ahead.
  const CellReach reach = cell_reach(67108.864f, floor_axes(kImageUp), 128, 0.75f, 0.1f);
  EXPECT_EQ(reach.distance_mm, 1250);
  EXPECT_EQ(reach.direction, 54);  // 3 / 7 of 128
  EXPECT_EQ(behind_value(reach, 2000), 750);
}

}  // namespace
}  // namespace fernwood::image
