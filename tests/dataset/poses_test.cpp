// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/poses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dataset/test_files.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

namespace fs = std::filesystem;
using testing::DoubleNear;
using testing::ElementsAre;

/// Transforms a point from camera to world coordinates.
std::array<double, 3> world_of(const CameraPose& pose, const std::array<double, 3>& p) {
  const auto [x, y, z, w] = pose.rotation;
  const std::array<double, 3> axis = {x, y, z};
  const auto cross = [](const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::array<double, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto once = cross(axis, p), twice = cross(axis, once);
  std::array<double, 3> world{};
  for (std::size_t i = 0; i < 3; ++i) world[i] = p[i] + 2 * (w * once[i] + twice[i]) + pose.position_m[i];
  return world;
}

auto near(double x, double y, double z) {
  return ElementsAre(DoubleNear(x, 1e-9), DoubleNear(y, 1e-9), DoubleNear(z, 1e-9));
}

TEST(Poses, AMatrixAndItsQuaternionTakePointsToTheSamePlace) {
  // Rotations by 0, 90, 180 and other angles about each axis: each component of the quaternion is the largest in one of
  // them.
  for (const double angle : {0.0, 0.3, 1.5707963267948966, 3.0, 3.141592653589793, -2.0})
    for (int axis = 0; axis < 3; ++axis) {
      const double c = std::cos(angle), s = std::sin(angle);
      const auto i = static_cast<std::size_t>((axis + 1) % 3), j = static_cast<std::size_t>((axis + 2) % 3);
      std::array<double, 16> matrix{};
      matrix[5 * static_cast<std::size_t>(axis)] = matrix[15] = 1;
      matrix[5 * i] = matrix[5 * j] = c;
      matrix[4 * i + j] = -s, matrix[4 * j + i] = s;
      matrix[3] = 4, matrix[7] = 5, matrix[11] = 6;
      const auto pose = pose_of_matrix(matrix);
      ASSERT_TRUE(pose);
      const std::array<double, 3> p = {1, 2, -3};
      const auto row = [&](std::size_t r) {
        return matrix[4 * r] * p[0] + matrix[4 * r + 1] * p[1] + matrix[4 * r + 2] * p[2] + matrix[4 * r + 3];
      };
      EXPECT_THAT(world_of(*pose, p), near(row(0), row(1), row(2))) << angle << " about " << axis;
      // A camera with y up has the same point at (x, -y, -z).
      EXPECT_THAT(world_of(from_y_up(*pose), {p[0], -p[1], -p[2]}), near(row(0), row(1), row(2)));
    }
}

TEST(Poses, OfFramesThatWereNotLocatedAreNone) {
  const TestFolder folder;
  const auto read = [&](const char* text) { return read_pose_file(folder.write("pose.txt", std::string(text))); };
  EXPECT_TRUE(read("1 0 0 1\n0 1 0 2\n0 0 1 3\n0 0 0 1\n"));
  EXPECT_FALSE(read("-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n"));
  EXPECT_FALSE(read("1 0 0 1\n0 1 0 2\n"));
  EXPECT_FALSE(read("1 0 nan 1\n0 1 0 2\n0 0 1 3\n0 0 0 1\n"));
  EXPECT_FALSE(read("1 0 0 -1.#INF\n0 1 0 1.#QNAN\n0 0 1 -1.#IND\n0 0 0 1\n")) << "as Windows writes them";
  for (const char* text : {"lost\n", "# not located\n", "1 0 0 none\n0 1 0 2\n0 0 1 3\n0 0 0 1\n"})
    EXPECT_FALSE(read(text)) << text;
  testdata::expect_refused(ErrorKind::kData, [&] { read("1 0 0 1,5\n0 1 0 2\n0 0 1 3\n0 0 0 1\n"); });
  EXPECT_FALSE(read_pose_file(folder / "none.txt"));
  EXPECT_FALSE(pose_of_numbers(std::array{1.0, 2.0, 3.0}, std::array{0.0, 0.0, 0.0, 0.0}));
}

TEST(Poses, OfATrajectoryAreTakenByTime) {
  const auto trajectory = parse_trajectory("groundtruth.txt", "# time\n1.00 1 0 0 0 0 0 2\n1.01 2 0 0 0 0 0 1\n\n");
  EXPECT_EQ(pose_near(trajectory, 1.003)->position_m[0], 1);
  EXPECT_EQ(pose_near(trajectory, 1.02)->position_m[0], 2);
  EXPECT_EQ(pose_near(trajectory, 0.99)->position_m[0], 1);
  EXPECT_EQ(pose_near(trajectory, 1.003)->rotation[3], 1) << "its length is 1";
  EXPECT_FALSE(pose_near(trajectory, 1.04));
  EXPECT_FALSE(pose_near({}, 1));
  testdata::expect_refused(ErrorKind::kData, [] { parse_trajectory("a/groundtruth.txt", "1.0 2 3\n"); });
  testdata::expect_refused(ErrorKind::kData, [] { parse_trajectory("a/groundtruth.txt", "1.0 1 2 3 0 0 0 1,0\n"); });
  EXPECT_TRUE(parse_trajectory("groundtruth.txt", "1.0 nan nan nan 0 0 0 1\nnan 1 2 3 0 0 0 1\n").empty());
}

image::RigidMotion quarter_turn() { return {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {1, 2, 3}}; }

/// The pose of a single line.
image::RigidMotion pose_in(const std::string& line) { return parse_frame_poses("poses.txt", line).at("a"); }

TEST(FramePoses, QuaternionsAndMatricesAreTheSameMotion) {
  // A quarter turn about z rotates x to y.
  const image::RigidMotion turned = pose_in("a 1 2 3 0 0 7 7\r\n");
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_NEAR(turned.rotation[row].x, quarter_turn().rotation[row].x, 1e-7);
    EXPECT_NEAR(turned.rotation[row].y, quarter_turn().rotation[row].y, 1e-7);
    EXPECT_NEAR(turned.rotation[row].z, quarter_turn().rotation[row].z, 1e-7);
  }
  EXPECT_EQ(turned.translation, quarter_turn().translation);
  EXPECT_EQ(pose_in("a 0 -1 0 1 1 0 0 2 0 0 1 3"), quarter_turn());
  EXPECT_EQ(pose_in("# name and pose\n\n a  0 -1 0 1 1 0 0 2 0 0 1 3 0 0 0 1\n"), quarter_turn());
}

TEST(FramePoses, AMatrixWithRoundedNumbersIsMadeARotation) {
  const image::RigidMotion rounded = pose_in("a 0.866 -0.5 0 1 0.5 0.866 0 2 0 0 1 3");
  EXPECT_NEAR(image::dot(rounded.rotation[0], rounded.rotation[0]), 1, 1e-6);
  EXPECT_NEAR(rounded.rotation[0].x, 0.866, 1e-3);
}

TEST(FramePoses, ALineIsReadToTheSameBits) {
  const CameraPose pose = *pose_of_numbers(std::array{0.1, -2.0 / 3, 1e-9}, std::array{0.1, 0.2, -0.3, 0.9});
  const image::RigidMotion motion = motion_of(pose);
  EXPECT_EQ(pose_in(pose_line("a", motion)), motion);
  EXPECT_EQ(pose_line("a", CameraPose{{1.5, -2, 0.25}, {0, 0, 0, 1}}), "a 1.5 -2 0.25 0 0 0 1\n");
}

TEST(FramePoses, AMotionIsItsPoseAndBack) {
  const CameraPose pose = *pose_of_numbers(std::array{1.0, 2.0, 3.0}, std::array{0.1, 0.2, -0.3, 0.9});
  const CameraPose back = *pose_of_motion(motion_of(pose));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(back.rotation[i], pose.rotation[i], 1e-6);
  EXPECT_EQ(back.position_m, pose.position_m);
}

TEST(FramePoses, WhatIsWrongIsASentence) {
  for (const char* text : {"a 1 2 3\n", "# 1\na 1 2 3 0 0 0 1 5\n", "a 1 nan 3 0 0 0 1\n", "a 1 2 3 0 0 0 0\n",
                           "a 1 0 0 0 0 1 0 0 0 0 -1 0\n",  // a reflection
                           "a 2 0 0 0 0 2 0 0 0 0 2 0\n", "a 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 2\n",
                           "a 1 0 0 0 0 1 0 0 0 0 1 0 5 5 5 1\n",  // column-major
                           "a 1 2 3 0 0 0 1\nb 1 2 3 0 0 0 1\na 1 2 3 0 0 0 1\n"})
    testdata::expect_refused(ErrorKind::kData, [&] { parse_frame_poses("b/poses.txt", text); });
  for (const std::string word : {"one", "1,5", "1m", "0x10", "1.5.2", "1e", "--1"})
    testdata::expect_refused(ErrorKind::kData,
                             [&] { parse_frame_poses("b/poses.txt", "a 1 2 3 0 0 0 " + word + "\n"); });
}

}  // namespace
}  // namespace fernwood::dataset
