// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/camera.h"

#include <array>

namespace fernwood {

namespace {

constexpr std::array kSensors = {
    KnownSensor{"kinect",
                {640, 480, 525.0f, 525.0f, 319.5f, 239.5f},
                "Kinect for Xbox 360, depth registered to colour; the values of OpenNI and ROS"},
    KnownSensor{"nyu",
                {640, 480, 518.858f, 519.470f, 325.582f, 253.736f},
                "Kinect of NYU Depth v2, its toolbox's camera_params.m"},
    KnownSensor{"kinect2",
                {512, 424, 365.5f, 365.5f, 255.0f, 210.0f},
                "Kinect for Xbox One, infrared and depth; typical of libfreenect2"},
    KnownSensor{"azure",
                {640, 576, 504.0f, 504.0f, 320.0f, 320.0f},
                "Azure Kinect, depth in the narrow field of view; typical"},
    KnownSensor{"d435", {640, 480, 615.0f, 615.0f, 320.0f, 240.0f}, "RealSense D435, depth aligned to colour; typical"},
};

/// A coordinate between pixels, 0 at the middle of the first one, in a picture `scale` times as large.
float scaled_place(float place, float scale) { return (place + 0.5f) * scale - 0.5f; }

}  // namespace

Camera scaled(const Camera& camera, std::size_t cols, std::size_t rows) {
  const float across = static_cast<float>(cols) / static_cast<float>(camera.cols);
  const float down = static_cast<float>(rows) / static_cast<float>(camera.rows);
  return {static_cast<int>(cols), static_cast<int>(rows),          camera.fx * across,
          camera.fy * down,       scaled_place(camera.cx, across), scaled_place(camera.cy, down)};
}

std::span<const KnownSensor> known_sensors() { return kSensors; }

Camera assumed_camera(std::size_t cols, std::size_t rows) {
  const Camera& sensor = kSensors[0].camera;
  const float focal = sensor.fx * static_cast<float>(cols) / static_cast<float>(sensor.cols);
  const auto middle = [](std::size_t size) { return 0.5f * (static_cast<float>(size) - 1.0f); };
  return {static_cast<int>(cols), static_cast<int>(rows), focal, focal, middle(cols), middle(rows)};
}

}  // namespace fernwood
