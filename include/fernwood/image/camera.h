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

/// A direction or point in camera coordinates: x to the right, y down, z forward.
struct Vector3 {
  float x = 0, y = 0, z = 0;
  bool operator==(const Vector3&) const = default;
};

FW_HD float dot(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// Default up direction in camera coordinates: an upright camera.
inline constexpr Vector3 kImageUp = {0.0f, -1.0f, 0.0f};

/// A pinhole camera: the viewing ray of the pixel at column x and row y, from 0, is ((x - cx) / fx, (y - cy) / fy, 1).
struct Camera {
  int cols = 0, rows = 0;  ///< Image size in pixels.
  float fx = 0, fy = 0;    ///< Focal lengths in pixels, above 0.
  float cx = 0, cy = 0;    ///< Principal point in pixels.
  bool operator==(const Camera&) const = default;
};

/// Describes an invalid parameter of a camera, with the remedy; empty if all are valid.
std::string problem_of(const Camera& camera);

/// Describes a valid parameter of a camera that is probably mistaken, such as a normalised focal length, with the
/// remedy; empty if all are plausible.
std::string plausibility_problem(const Camera& camera);

/// Whether a vector given by a user defines a direction: its length is from 1e-6 to 1e6.
bool is_direction(const Vector3& vector);

/// In the form of dataset.toml, {width = 640, height = 480, fx = 525, ...}, with the shortest numbers that read back
/// the same.
std::string to_string(const Camera& camera);

/// Kinect for Xbox 360, depth registered to colour: the values of OpenNI and ROS. Inline, because plug-ins do not link
/// to the library.
inline constexpr Camera kKinect = {640, 480, 525.0f, 525.0f, 319.5f, 239.5f};

/// The same camera for frames of another size. The principal point is scaled with pixel centres at whole coordinates.
Camera scaled(const Camera& camera, std::size_t cols, std::size_t rows);

/// A depth camera with published or typical intrinsics.
struct KnownSensor {
  std::string_view name;  ///< Value of `sensor` in dataset.toml.
  Camera camera;
};

/// All named sensors; the first is assumed for frames from an unknown camera.
std::span<const KnownSensor> known_sensors();

/// The sensor with a given name, or null.
const KnownSensor* find_sensor(std::string_view name);

/// Camera that is assumed for frames of this size from an unknown camera: the first of known_sensors(), with square
/// pixels, the same horizontal field of view and a central principal point.
Camera assumed_camera(std::size_t cols, std::size_t rows);

/// Message for users about the camera that is assumed for frames; empty if none is assumed, because no channel needs a
/// camera or the frames specify theirs.
/// @param has_camera  Whether the frames specify their camera.
/// @param place       Origin of the frames, such as a folder or a device.
std::string camera_note(const Preparation& preparation, bool has_camera, const std::string& place);

/// A rotation followed by a translation, which transforms points from the coordinates of one camera to those of another
/// or, as a pose, to those of the room. In camera coordinates z is forward, x to the right and y down.
struct RigidMotion {
  Vector3 rotation[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  ///< Rows.
  Vector3 translation = {};                                 ///< In metres.

  FW_HD Vector3 operator()(const Vector3& place) const {
    return {dot(rotation[0], place) + translation.x, dot(rotation[1], place) + translation.y,
            dot(rotation[2], place) + translation.z};
  }
  bool operator==(const RigidMotion&) const = default;
};

/// Describes an invalid parameter of a motion, with the remedy; empty if all are valid.
std::string problem_of(const RigidMotion& motion);

/// The motion that applies `first` and then `second`.
FW_HD RigidMotion then(const RigidMotion& first, const RigidMotion& second) {
  RigidMotion both;
  for (int row = 0; row < 3; ++row) {
    const Vector3& r = second.rotation[row];
    const Vector3(&f)[3] = first.rotation;
    both.rotation[row] = {r.x * f[0].x + r.y * f[1].x + r.z * f[2].x, r.x * f[0].y + r.y * f[1].y + r.z * f[2].y,
                          r.x * f[0].z + r.y * f[1].z + r.z * f[2].z};
  }
  both.translation = second(first.translation);
  return both;
}
/// The inverse motion.
RigidMotion inverse(const RigidMotion& motion);

}  // namespace fernwood::image
