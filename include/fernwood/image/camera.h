// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "fernwood/core/arithmetic.h"

namespace fernwood::image {

struct Preparation;

/// A direction or a place as a camera sees it: x to the right, y down, z ahead.
struct Vector3 {
  float x = 0, y = 0, z = 0;
  bool operator==(const Vector3&) const = default;
};

FW_HD float dot(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// Up, as long as nothing else is known: the camera is held upright.
inline constexpr Vector3 kImageUp = {0.0f, -1.0f, 0.0f};

/// A pinhole camera: the pixel at column x and row y, counted from 0, looks along ((x - cx) / fx, (y - cy) / fy, 1).
struct Camera {
  int cols = 0, rows = 0;  ///< Of its frames.
  float fx = 0, fy = 0;    ///< Focal lengths in pixels, above 0.
  float cx = 0, cy = 0;    ///< Principal point in pixels.
  bool operator==(const Camera&) const = default;
};

/// What is wrong with the numbers of a camera that somebody gave, with the remedy; empty when nothing is.
std::string problem_of(const Camera& camera);

/// Whether numbers that somebody gave can be told to point somewhere: their length is from 1e-6 to 1e6.
bool is_direction(const Vector3& vector);

/// As dataset.toml has it, {width = 640, height = 480, fx = 525, ...}: the shortest numbers that read back the same.
std::string to_string(const Camera& camera);

/// Kinect for Xbox 360, depth registered to colour: the values of OpenNI and ROS. Inline, for plug-ins call nothing of
/// the program.
inline constexpr Camera kKinect = {640, 480, 525.0f, 525.0f, 319.5f, 239.5f};

/// The same camera for frames of another size: scaled, about the middle of the pixels.
Camera scaled(const Camera& camera, std::size_t cols, std::size_t rows);

/// A depth camera as its maker or its users describe it.
struct KnownSensor {
  std::string_view name;  ///< As `sensor` in dataset.toml.
  Camera camera;
};

/// All sensors there are names for; the first is the one that is assumed where nothing is known.
std::span<const KnownSensor> known_sensors();

/// The sensor of that name, or null.
const KnownSensor* find_sensor(std::string_view name);

/// What frames of this size are assumed to come from when nobody says: the first of known_sensors(), with square pixels
/// and the same horizontal field of view.
Camera assumed_camera(std::size_t cols, std::size_t rows);

/// The sentence for people that says which camera is assumed of frames; empty when none is, because no channel needs
/// one or the frames name theirs.
/// @param has_camera  Whether frames bring their camera.
/// @param place       Names the frames: a folder, a device.
std::string camera_note(const Preparation& preparation, bool has_camera, const std::string& place);

}  // namespace fernwood::image
