// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/align_depth.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::image {
namespace {

using testing::Each;
using testing::ElementsAre;

/// Two cameras side by side with parallel optical axes, the depth camera `left_m` metres to the left.
CameraPair side_by_side(const Camera& depth, const Camera& color, float left_m) {
  CameraPair pair{depth, color};
  pair.translation_m = {-left_m, 0, 0};
  return pair;
}

std::vector<std::uint16_t> pixels(const Array2<std::uint16_t>& image) { return {image.begin(), image.end()}; }

constexpr Camera kSmall = {8, 6, 10, 10, 3.5f, 2.5f};

TEST(AlignDepth, OfTheSameCameraChangesNothing) {
  Array2<std::uint16_t> depth(6, 8);
  for (std::size_t i = 0; i < depth.size(); ++i)
    depth.data()[i] = static_cast<std::uint16_t>(i % 5 == 0 ? 0 : 500 + 37 * i);
  EXPECT_EQ(DepthAligner(CameraPair{kSmall, kSmall}, 8, 6, 8, 6).align(depth), depth);
}

TEST(AlignDepth, MovesBySomethingThatIsInverseToDepth) {
  // A shift of 0.1 m at f = 10 pixels: 1 pixel at 1 m, 2 pixels at 0.5 m.
  const DepthAligner aligner(side_by_side(kSmall, kSmall, -0.1f), 8, 6, 8, 6);
  const Array2<std::uint16_t> near = aligner.align(Array2<std::uint16_t>(6, 8, 500)),
                              far = aligner.align(Array2<std::uint16_t>(6, 8, 1000));
  EXPECT_THAT(std::vector(near.row(3), near.row(4)), ElementsAre(0, 0, 500, 500, 500, 500, 500, 500));
  EXPECT_THAT(std::vector(far.row(3), far.row(4)), ElementsAre(0, 1000, 1000, 1000, 1000, 1000, 1000, 1000));
}

TEST(AlignDepth, OfTwoAtOnePlaceTheNearerIsSeen) {
  Array2<std::uint16_t> depth(6, 8, 1000);
  for (std::size_t row = 0; row < 6; ++row) depth(row, 2) = 500;  // shifted by 2 pixels; the surface behind it by 1
  const Array2<std::uint16_t> aligned = DepthAligner(side_by_side(kSmall, kSmall, -0.1f), 8, 6, 8, 6).align(depth);
  EXPECT_THAT(std::vector(aligned.row(0), aligned.row(1)), ElementsAre(0, 1000, 1000, 0, 500, 1000, 1000, 1000))
      << "column 3 lies behind what column 4 shows: no hole is filled";
}

TEST(AlignDepth, ToMorePixelsLeavesNoGapsInASurface) {
  const Camera depth = {85, 48, 42, 42, 42, 24}, color = {128, 72, 92, 92, 63, 36};
  const Array2<std::uint16_t> aligned =
      DepthAligner(side_by_side(depth, color, 0.015f), 85, 48, 128, 72).align(Array2<std::uint16_t>(48, 85, 1200));
  for (std::size_t row = 5; row < 67; ++row)
    EXPECT_THAT(std::vector(aligned.row(row) + 5, aligned.row(row) + 123), Each(1200)) << row;
}

TEST(AlignDepth, IsTheProjectionOfEachPoint) {
  // A reference that does not splat pixels as squares: the centre of each pixel, projected in double precision, lands
  // in a pixel of the result that is at least as near.
  CameraPair pair{{64, 48, 50, 51, 31, 24}, {96, 72, 80, 81, 47, 35}};
  const double angle = 0.05;
  pair.rotation = {static_cast<float>(std::cos(angle)),  0, static_cast<float>(std::sin(angle)), 0, 1, 0,
                   static_cast<float>(-std::sin(angle)), 0, static_cast<float>(std::cos(angle))};
  pair.translation_m = {0.02f, -0.01f, 0.005f};
  pair.color_distortion = {0.1f, -0.05f, 0.001f, -0.002f, 0.01f};
  Array2<std::uint16_t> depth(48, 64);
  std::mt19937 draws(7);
  for (std::uint16_t& value : depth) value = static_cast<std::uint16_t>(800 + draws() % 400);
  const Array2<std::uint16_t> aligned = DepthAligner(pair, 64, 48, 96, 72).align(depth);
  int num_seen = 0;
  for (std::size_t row = 0; row < 48; ++row)
    for (std::size_t col = 0; col < 64; ++col) {
      const double z = depth(row, col) / 1000.0, x = (static_cast<double>(col) - 31) / 50 * z,
                   y = (static_cast<double>(row) - 24) / 51 * z;
      const double cx = std::cos(angle) * x + std::sin(angle) * z + 0.02, cy = y - 0.01,
                   cz = -std::sin(angle) * x + std::cos(angle) * z + 0.005;
      const double u = cx / cz, v = cy / cz, r2 = u * u + v * v,
                   radial = 1 + 0.1 * r2 - 0.05 * r2 * r2 + 0.01 * r2 * r2 * r2;
      const double px = (u * radial + 2 * 0.001 * u * v - 0.002 * (r2 + 2 * u * u)) * 80 + 47,
                   py = (v * radial + 0.001 * (r2 + 2 * v * v) - 2 * 0.002 * u * v) * 81 + 35;
      const auto at_col = static_cast<std::int64_t>(std::lround(px)),
                 at_row = static_cast<std::int64_t>(std::lround(py));
      if (at_col < 0 || at_row < 0 || at_col >= 96 || at_row >= 72) continue;
      const std::uint16_t seen = aligned(static_cast<std::size_t>(at_row), static_cast<std::size_t>(at_col));
      EXPECT_GT(seen, 0);
      EXPECT_LE(seen, depth(row, col)) << row << " " << col;
      ++num_seen;
    }
  EXPECT_GT(num_seen, 2000);
}

TEST(AlignDepth, DistortionOfTheDepthCameraIsUndone) {
  // With a lens only on the depth camera, the far corner of its image shows a point nearer to the centre.
  CameraPair pair{kSmall, kSmall};
  pair.depth_distortion = pair.color_distortion = {0.2f, 0.1f, 0.01f, -0.01f};
  const Array2<std::uint16_t> depth(6, 8, 900);
  EXPECT_EQ(DepthAligner(pair, 8, 6, 8, 6).align(depth), depth) << "the same lens twice";
}

TEST(AlignDepth, IsTheSameOnAnyNumberOfThreads) {
  const CameraPair pair = side_by_side({85, 48, 42, 42, 42, 24}, {128, 72, 92, 92, 63, 36}, 0.05f);
  Array2<std::uint16_t> depth(48, 85);
  std::mt19937 draws(3);
  for (std::uint16_t& value : depth) value = static_cast<std::uint16_t>(draws() % 3000);
  const DepthAligner aligner(pair, 85, 48, 128, 72);
  const Array2<std::uint16_t> wanted = aligner.align(depth);
  for (const int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(aligner.align(depth, &pool), wanted) << threads;
  }
}

TEST(AlignDepth, WhatIsBehindOrBeyondAnyPixelIsLeftOut) {
  CameraPair behind{kSmall, kSmall};
  behind.translation_m = {0, 0, -2};
  EXPECT_THAT(pixels(DepthAligner(behind, 8, 6, 8, 6).align(Array2<std::uint16_t>(6, 8, 1000))), Each(0));
  CameraPair grazing{kSmall, {8000, 6000, 1e6f, 1e6f, 4000, 3000}};
  EXPECT_THAT(pixels(DepthAligner(grazing, 8, 6, 80, 60).align(Array2<std::uint16_t>(6, 8, 1000))), Each(0))
      << "squares of more than 64 pixels";
  EXPECT_THROW(DepthAligner(behind, 8, 6, 8, 6).align(Array2<std::uint16_t>(6, 9)), Error);
}

TEST(AlignDepth, NumbersThatNoCamerasHaveAreASentence) {
  CameraPair pair{kSmall, kSmall};
  EXPECT_EQ(problem_of(pair), "");
  pair.rotation[0] = 2;
  testdata::expect_sentence(problem_of(pair));
  pair = {kSmall, kSmall};
  pair.translation_m[1] = 15;
  testdata::expect_sentence(problem_of(pair));
  pair = {kSmall, {8, 6, 0, 10, 3, 2}};
  testdata::expect_sentence(problem_of(pair));
  EXPECT_THROW(DepthAligner(pair, 8, 6, 8, 6), Error);
}

TEST(ScaleDepth, TakesThePixelUnderTheMiddle) {
  Array2<std::uint16_t> depth(2, 3);
  for (std::size_t i = 0; i < 6; ++i) depth.data()[i] = static_cast<std::uint16_t>(i + 1);
  EXPECT_THAT(pixels(scaled_depth(depth, 6, 4)),
              ElementsAre(1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 4, 4, 5, 5, 6, 6));
  EXPECT_THAT(pixels(scaled_depth(depth, 1, 1)), ElementsAre(5));
}

TEST(ScaleDepth, IsForTheSameProportionsAlone) {
  EXPECT_TRUE(have_same_proportions(256, 192, 1920, 1440));
  EXPECT_TRUE(have_same_proportions(640, 480, 1296, 968)) << "ScanNet";
  EXPECT_FALSE(have_same_proportions(848, 480, 1280, 720)) << "a RealSense: two cameras";
  EXPECT_FALSE(have_same_proportions(480, 640, 640, 480));
}

}  // namespace
}  // namespace fernwood::image
