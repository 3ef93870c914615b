// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "image/channel_table.h"
#include "image/geometry_kernels.h"

namespace fernwood::image {
namespace {

const Camera kCamera = {160, 120, 131.25f, 131.25f, 79.5f, 59.5f};

Vector3 turned(const Vector3& v, double degrees) {  // about the optical axis
  const double angle = degrees * 3.14159265358979 / 180, c = std::cos(angle), s = std::sin(angle);
  return {static_cast<float>(c * v.x - s * v.y), static_cast<float>(s * v.x + c * v.y), v.z};
}

/// A floor `height` mm below the camera and a wall 3 m ahead, both turned about the optical axis by `degrees`.
Array2<std::uint16_t> room(float height, double degrees) {
  const Vector3 up = turned(kImageUp, degrees);
  Array2<std::uint16_t> depth_mm(120, 160);
  for (std::size_t y = 0; y < 120; ++y)
    for (std::size_t x = 0; x < 160; ++x) {
      const Vector3 sight = {ray(static_cast<float>(x), kCamera.cx, kCamera.fx),
                             ray(static_cast<float>(y), kCamera.cy, kCamera.fy), 1.0f};
      const float fall = -dot(sight, up);
      const float to_floor = fall > 0 ? height / fall : 1e9f;
      depth_mm(y, x) = static_cast<std::uint16_t>(std::lround(std::min(3000.0f, to_floor)));
    }
  return depth_mm;
}

ChannelImage channel(const std::string& name, const Array2<std::uint16_t>& depth_mm, const Geometry& geometry) {
  std::vector<ChannelImage> planes(1, ChannelImage(depth_mm.rows(), depth_mm.cols()));
  compute_channels(*ChannelLayout({name}).sets()[0],
                   {.rows = geometry.camera.rows,
                    .cols = geometry.camera.cols,
                    .color = nullptr,
                    .depth = {depth_mm.data()},
                    .geometry = geometry.view(),
                    .room = {},
                    .lab_tables = nullptr},
                   planes);
  return planes[0];
}

class SeenRoom : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Turned, SeenRoom, testing::Values(0.0, 15.0, -30.0));

TEST_P(SeenRoom, UpIsFoundFromTheFloor) {
  const Geometry found = measure_geometry(room(1000, GetParam()), kCamera, kImageUp);
  EXPECT_GT(dot(found.orientation.up, turned(kImageUp, GetParam())), 0.999f);  // within 2.6 degrees
  EXPECT_NEAR(found.orientation.floor_mm, -1000, 30);
}

TEST_P(SeenRoom, FloorAndWallAreToldApart) {
  const Geometry found = measure_geometry(room(1000, GetParam()), kCamera, kImageUp);
  EXPECT_GT(found.upright(28, 20), 3500);      // the floor, at the bottom of the image
  EXPECT_NEAR(found.upright(14, 20), 0, 150);  // the wall
  EXPECT_GT(found.facing(14, 20), 4000);
  EXPECT_LT(found.facing(28, 20), 3200);
}

TEST(Geometry, UpsideDownCameraIsFoundWhenTold) {
  const Array2<std::uint16_t> depth_mm = room(1000, 180);
  EXPECT_GT(measure_geometry(depth_mm, kCamera, {0, 2, 0}).orientation.up.y, 0.999f);
  EXPECT_LT(measure_geometry(depth_mm, kCamera, kImageUp).orientation.up.y,
            -0.999f);  // the floor is mistaken for a ceiling
}

TEST(Geometry, HeightIsAboveTheFloorAndUnknownWithoutDepth) {
  Array2<std::uint16_t> depth_mm = room(1000, 0);
  depth_mm(100, 80) = 0;
  const Geometry found = measure_geometry(depth_mm, kCamera, kImageUp);
  const ChannelImage height = channel("height", depth_mm, found);
  EXPECT_EQ(height(100, 80), kUnknown);
  EXPECT_NEAR(height(110, 80), 0, 40);
  // The wall at row 40: 19.5 pixels above the centre are 446 mm at 3 m, which is 1446 mm above the floor.
  EXPECT_NEAR(height(40, 80), 1446, 60);
  const ChannelImage upright = channel("upright", depth_mm, found);
  EXPECT_EQ(upright(100, 80), kUnknown);
  EXPECT_EQ(upright(100, 81), found.upright(25, 20));
}

TEST(Geometry, ALonePixelFacesTheCamera) {
  Array2<std::uint16_t> depth_mm(120, 160);
  depth_mm(62, 81) = 1500;
  const Geometry found = measure_geometry(depth_mm, kCamera, kImageUp);
  EXPECT_EQ(found.facing(15, 20), 4096);
  EXPECT_EQ(found.facing(15, 21), kUnknown);
  EXPECT_EQ(found.orientation.up, kImageUp);  // no cell votes
}

TEST(Geometry, NothingKnownIsNoError) {
  const Geometry found = measure_geometry(Array2<std::uint16_t>(3, 5), kCamera, {0, -3, 0});
  EXPECT_EQ(found.orientation.up, kImageUp);
  EXPECT_EQ(found.upright(0, 1), kUnknown);
}

TEST(Geometry, ThreadsDoNotMatter) {
  const Array2<std::uint16_t> depth_mm = room(800, 7);
  ThreadPool pool(3);
  const Geometry one = measure_geometry(depth_mm, kCamera, kImageUp);
  const Geometry many = measure_geometry(depth_mm, kCamera, kImageUp, &pool);
  EXPECT_EQ(one.upright, many.upright);
  EXPECT_EQ(one.facing, many.facing);
  EXPECT_EQ(one.orientation.up, many.orientation.up);
}

TEST(GeometryFormulas, APlaneIsFittedExactly) {
  // Inverse depth of 4096 at the centre, decreasing by 8 per cell to the right: slopes and mean are whole numbers.
  PlaneSums sums;
  for (int dy = -kPlaneRadius; dy <= kPlaneRadius; ++dy)
    for (int dx = -kPlaneRadius; dx <= kPlaneRadius; ++dx)
      sums.add(static_cast<float>(dx), static_cast<float>(dy), 4096.0f - 8.0f * static_cast<float>(dx), 4096.0f);
  EXPECT_EQ(sums.n, 49.0f);
  const Camera camera = {4, 4, 512.0f, 512.0f, 0.0f, 0.0f};
  const CellNormal normal = fit_normal(sums, camera, 0.0f, 0.0f, 4096.0f);
  // (512 * 2, 0, -4096) has length 4222.06.
  EXPECT_EQ(normal.x, 993);
  EXPECT_EQ(normal.y, 0);
  EXPECT_EQ(normal.z, -3974);
}

TEST(GeometryFormulas, CellsThatLieElsewhereAreLeftOut) {
  PlaneSums sums;
  sums.add(0, 0, 1000.0f, 1000.0f);
  sums.add(1, 0, 1100.0f, 1000.0f);  // at the limit of 10 %
  sums.add(2, 0, 1100.5f, 1000.0f);  // beyond it
  sums.add(-1, 0, 0.0f, 1000.0f);    // unknown
  EXPECT_EQ(sums.n, 2.0f);
  EXPECT_EQ(sums.w, 100.0f);
  EXPECT_EQ(sums.x, 1.0f);
}

TEST(GeometryKernels, SumWhatCellsSumOneByOneOnEveryInstructionSet) {
  for (const std::size_t cols : {1, 3, 16, 37}) {
    Array2<float> cells(7 + 2 * kPlaneRadius, cols + 2 * kPlaneRadius, 0.0f);
    for (std::size_t y = 0; y < 7; ++y)
      for (std::size_t x = 0; x < cols; ++x)  // near, beyond the gate, and unknown
        cells(y + kPlaneRadius, x + kPlaneRadius) =
            static_cast<float>((x * 7 + y * 13) % 5 == 0 ? 0 : 1000 + (x * y * 31) % 170);
    for (const int radius : {2, 3}) {
      const float* const middle = cells.row(3 + kPlaneRadius) + kPlaneRadius;
      for (const Isa isa : available_isas()) {
        std::vector<PlaneSums> found(cols);
        geometry_kernels(isa).sum_planes({middle, cells.cols(), cols}, radius, found.data());
        for (std::size_t x = 0; x < cols; ++x) {
          PlaneSums sums;
          for (int dy = -radius; dy <= radius; ++dy)
            for (int dx = -radius; dx <= radius; ++dx)
              sums.add(static_cast<float>(dx), static_cast<float>(dy),
                       middle[dy * static_cast<std::ptrdiff_t>(cells.cols()) + static_cast<std::ptrdiff_t>(x) + dx],
                       middle[x]);
          EXPECT_EQ(std::memcmp(&found[x], &sums, sizeof sums), 0) << to_string(isa) << ", cell " << x;
        }
      }
    }
  }
}

TEST(GeometryFormulas, FloorLiesBelowOneCellInFifty) {
  std::array<std::int64_t, kHeightBins> counts{};
  counts[10] = 1;
  counts[20] = 98;
  counts[30] = 1;
  EXPECT_EQ(floor_height_mm(counts, 100), kLowestBinMm + 20 * kHeightBinMm);
  counts[10] = 2;
  EXPECT_EQ(floor_height_mm(counts, 100), kLowestBinMm + 10 * kHeightBinMm);
}

TEST(GeometryFormulas, HeightsStayWithinTheChannel) {
  EXPECT_EQ(height_value(0, kImageUp, 0, 0, 0), kUnknown);
  EXPECT_EQ(height_value(2000, kImageUp, 0, 0.5f, 0), -1000);
  EXPECT_EQ(height_value(32767, kImageUp, 0, 4.0f, 0), kLowestHeightMm);
  EXPECT_EQ(height_value(32767, kImageUp, 0, -4.0f, 0), kHighestHeightMm);
}

}  // namespace
}  // namespace fernwood::image
