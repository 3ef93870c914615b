// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/camera.h"

#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "fernwood/image/prepared_frame.h"
#include "sentences.h"

namespace fernwood::image {
namespace {

constexpr Camera kSquare = {640, 480, 525.0f, 525.0f, 319.5f, 239.5f};

TEST(Camera, ScaledKeepsTheMiddleAndTheFieldOfView) {
  // The centre of the first pixel moves: (319.5 + 0.5) / 2 - 0.5 = 159.5.
  EXPECT_EQ(scaled(kSquare, 320, 240), (Camera{320, 240, 262.5f, 262.5f, 159.5f, 119.5f}));
  EXPECT_EQ(scaled(kSquare, 1280, 960), (Camera{1280, 960, 1050.0f, 1050.0f, 639.5f, 479.5f}));
  EXPECT_EQ(scaled(kSquare, 640, 480), kSquare);
}

TEST(Camera, ScaledTreatsTheSidesApart) {
  EXPECT_EQ(scaled({4, 2, 8.0f, 6.0f, 0.0f, 1.5f}, 8, 6), (Camera{8, 6, 16.0f, 18.0f, 0.5f, 5.5f}));
}

TEST(Camera, AssumedHasSquarePixelsAndTheFirstSensorsWidth) {
  EXPECT_EQ(assumed_camera(640, 480), kSquare);
  EXPECT_EQ(assumed_camera(320, 200), (Camera{320, 200, 262.5f, 262.5f, 159.5f, 99.5f}));
}

TEST(Camera, EverySensorIsFoundByItsNameAndPossible) {
  std::set<std::string_view> names;
  for (const KnownSensor& sensor : known_sensors()) {
    EXPECT_TRUE(names.insert(sensor.name).second) << sensor.name;
    EXPECT_EQ(find_sensor(sensor.name), &sensor);
    EXPECT_EQ(problem_of(sensor.camera), "") << sensor.name;
  }
  EXPECT_EQ(known_sensors().front().name, "kinect");
  EXPECT_EQ(find_sensor("nyu")->camera.cy, 253.736f);
  EXPECT_EQ(find_sensor("kinekt"), nullptr);
}

TEST(Camera, ProblemsNameTheNumberAndItsRange) {
  const auto changed = [](auto Camera::*member, auto value) {
    Camera camera = kSquare;
    camera.*member = value;
    return problem_of(camera);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(problem_of(kSquare), "");
  for (const int size : {0, 65536}) {
    testdata::expect_sentence(changed(&Camera::cols, size));
    testdata::expect_sentence(changed(&Camera::rows, size));
  }
  for (const float length : {-525.0f, 0.0f, nan, infinity}) {
    testdata::expect_sentence(changed(&Camera::fx, length));
    testdata::expect_sentence(changed(&Camera::fy, length));
  }
  testdata::expect_sentence(changed(&Camera::cx, nan));
  testdata::expect_sentence(changed(&Camera::cy, -2e6f));
  EXPECT_EQ(changed(&Camera::cx, -20.0f), "") << "a cut-out need not hold the principal point";
}

TEST(Camera, AssumedIsPossibleForEveryFrame) {
  for (const std::size_t cols : {1u, 640u, 65535u})
    for (const std::size_t rows : {1u, 65535u}) EXPECT_EQ(problem_of(assumed_camera(cols, rows)), "");
}

TEST(Camera, NormalisedFocalLengthsAndCentresOutsideAreImplausible) {
  const Camera sound{640, 480, 525, 525, 319.5f, 239.5f};
  const auto problem = [&](float Camera::*member, float value) {
    Camera camera = sound;
    camera.*member = value;
    return plausibility_problem(camera);
  };
  for (const KnownSensor& sensor : known_sensors()) EXPECT_EQ(plausibility_problem(sensor.camera), "") << sensor.name;
  EXPECT_EQ(plausibility_problem(assumed_camera(640, 480)), "");
  testdata::expect_sentence(problem(&Camera::fx, 0.82f));
  testdata::expect_sentence(problem(&Camera::fy, 1.09f));
  EXPECT_EQ(problem(&Camera::fx, 64), "");
  testdata::expect_sentence(problem(&Camera::cx, -20));
  testdata::expect_sentence(problem(&Camera::cy, 481));
}

TEST(Camera, DirectionsHaveALength) {
  EXPECT_TRUE(is_direction(kImageUp));
  EXPECT_TRUE(is_direction({0.0f, 9.81f, 0.3f}));
  EXPECT_FALSE(is_direction({0.0f, 0.0f, 0.0f}));
  EXPECT_FALSE(is_direction({0.0f, 1e-30f, 0.0f}));
  EXPECT_FALSE(is_direction({0.0f, 1e30f, 0.0f}));
  EXPECT_FALSE(is_direction({std::numeric_limits<float>::quiet_NaN(), 1.0f, 0.0f}));
}

TEST(Camera, TextIsShortAndExact) {
  EXPECT_EQ(to_string(kSquare), "{width = 640, height = 480, fx = 525, fy = 525, cx = 319.5, cy = 239.5}");
  EXPECT_EQ(to_string(find_sensor("nyu")->camera),
            "{width = 640, height = 480, fx = 518.858, fy = 519.47, cx = 325.582, cy = 253.736}");
}

TEST(CameraNote, SaysWhatIsAssumed) {
  Preparation preparation{ChannelLayout({"lab", "depth", "height", "facing"})};
  testdata::expect_sentence(camera_note(preparation, false, "rooms/test"));
  preparation.camera = Camera{64, 48, 50.0f, 50.0f, 31.5f, 23.5f};
  testdata::expect_sentence(camera_note(preparation, false, "rooms/test"));
}

TEST(CameraNote, IsSilentWhereNothingIsAssumed) {
  EXPECT_EQ(camera_note({ChannelLayout({"depth", "height"})}, true, "x"), "");
  EXPECT_EQ(camera_note({ChannelLayout({"lab", "depth"})}, false, "x"), "");
}

}  // namespace
}  // namespace fernwood::image
