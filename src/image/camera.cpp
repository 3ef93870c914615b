// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/camera.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/text.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::image {

namespace {

constexpr std::array kSensors = {
    // Kinect for Xbox 360, depth registered to colour; the default values of OpenNI and ROS.
    KnownSensor{"kinect", kKinect},
    // Kinect of NYU Depth v2, from camera_params.m of its toolbox.
    KnownSensor{"nyu", {640, 480, 518.858f, 519.470f, 325.582f, 253.736f}},
    // Kinect for Xbox One, infrared and depth; typical values of libfreenect2.
    KnownSensor{"kinect2", {512, 424, 365.5f, 365.5f, 255.0f, 210.0f}},
    // Azure Kinect, depth in the narrow field of view; typical values.
    KnownSensor{"azure", {640, 576, 504.0f, 504.0f, 320.0f, 320.0f}},
    // RealSense D435, depth aligned to colour; typical values.
    KnownSensor{"d435", {640, 480, 615.0f, 615.0f, 320.0f, 240.0f}},
};

/// Maps a coordinate, 0 at the centre of the first pixel, to an image scaled by `scale`.
float scaled_place(float place, float scale) { return (place + 0.5f) * scale - 0.5f; }

// Wide enough for every camera and crop of its frames, and narrow enough that sums of squares fit into floats.
constexpr float kMinFocal = 1e-3f, kMaxFocal = 1e6f, kMaxCenter = 1e6f;

// Shorter focal lengths, for a field of view above 157 degrees, are beyond what a pinhole camera describes.
constexpr float kMinFocalShare = 0.1f;

std::string text_of(float number) {
  char text[32];
  return {text, std::to_chars(text, std::end(text), number).ptr};
}

std::string names_of_geometry(const ChannelLayout& channels) {
  std::vector<std::string_view> names;
  for (const ChannelSet* set : channels.sets())
    if (set->needs_geometry) names.push_back(set->name);
  return join(names);
}

}  // namespace

std::string problem_of(const Camera& camera) {
  for (const auto& [name, side] : {std::pair("width", camera.cols), std::pair("height", camera.rows)})
    if (side < 1 || side > static_cast<int>(kMaxFrameSide))
      return std::string(name) + " is " + std::to_string(side) + "; pass that of the frames, from 1 to " +
             std::to_string(kMaxFrameSide) + " pixels";
  for (const auto& [name, focal] : {std::pair("fx", camera.fx), std::pair("fy", camera.fy)})
    if (!(focal >= kMinFocal && focal <= kMaxFocal))
      return std::string(name) + " is " + text_of(focal) + "; use the focal length in pixels, from 0.001 to 1e6";
  for (const auto& [name, center] : {std::pair("cx", camera.cx), std::pair("cy", camera.cy)})
    if (!(std::abs(center) <= kMaxCenter))
      return std::string(name) + " is " + text_of(center) + "; use the principal point in pixels, from -1e6 to 1e6";
  return "";
}

std::string plausibility_problem(const Camera& camera) {
  struct Axis {
    const char *focal_name, *center_name, *side_name;
    float focal, center, side;
  };
  const Axis axes[] = {{"fx", "cx", "width", camera.fx, camera.cx, static_cast<float>(camera.cols)},
                       {"fy", "cy", "height", camera.fy, camera.cy, static_cast<float>(camera.rows)}};
  for (const Axis& axis : axes)
    if (axis.focal < kMinFocalShare * axis.side)
      return std::string(axis.focal_name) + " is " + text_of(axis.focal) + " for a " + axis.side_name + " of " +
             text_of(axis.side) +
             " pixels, a field of view of more than 157 degrees; pass it in pixels: a normalised focal length times "
             "the " +
             axis.side_name;
  for (const Axis& axis : axes)
    if (axis.center < 0 || axis.center > axis.side)
      return std::string(axis.center_name) + " is " + text_of(axis.center) + ", which is outside of the " +
             axis.side_name + " of " + text_of(axis.side) +
             " pixels; use the principal point in pixels of the frames, unless they are cut out of larger ones";
  return "";
}

bool is_direction(const Vector3& vector) {
  constexpr float kMin = 1e-6f, kMax = 1e6f;
  const float length = std::sqrt(dot(vector, vector));
  return length >= kMin && length <= kMax;
}

std::string to_string(const Camera& camera) {
  return "{width = " + std::to_string(camera.cols) + ", height = " + std::to_string(camera.rows) +
         ", fx = " + text_of(camera.fx) + ", fy = " + text_of(camera.fy) + ", cx = " + text_of(camera.cx) +
         ", cy = " + text_of(camera.cy) + "}";
}

Camera scaled(const Camera& camera, std::size_t cols, std::size_t rows) {
  const DefaultFloats floats;
  const float across = static_cast<float>(cols) / static_cast<float>(camera.cols);
  const float down = static_cast<float>(rows) / static_cast<float>(camera.rows);
  return {static_cast<int>(cols), static_cast<int>(rows),          camera.fx * across,
          camera.fy * down,       scaled_place(camera.cx, across), scaled_place(camera.cy, down)};
}

std::span<const KnownSensor> known_sensors() { return kSensors; }

const KnownSensor* find_sensor(std::string_view name) {
  const auto found = std::ranges::find(kSensors, name, &KnownSensor::name);
  return found == kSensors.end() ? nullptr : &*found;
}

Camera assumed_camera(std::size_t cols, std::size_t rows) {
  const DefaultFloats floats;
  const Camera& sensor = kSensors[0].camera;
  const float focal = sensor.fx * static_cast<float>(cols) / static_cast<float>(sensor.cols);
  const auto middle = [](std::size_t size) { return 0.5f * (static_cast<float>(size) - 1.0f); };
  return {static_cast<int>(cols), static_cast<int>(rows), focal, focal, middle(cols), middle(rows)};
}

std::string camera_note(const Preparation& preparation, bool has_camera, const std::string& place) {
  if (has_camera || !preparation.channels.needs_geometry()) return "";
  const std::string assumed = preparation.camera ? "camera = " + to_string(*preparation.camera)
                                                 : "sensor = \"" + std::string(known_sensors().front().name) + "\"";
  return place + ": the camera's intrinsics are unknown, and the channels (" + names_of_geometry(preparation.channels) +
         ") need them; assumed is " + assumed +
         ": write that into dataset.toml next to the frames, or pass it with each, with the right numbers if they "
         "differ "
         "(docs/reference/datasets.md)";
}

std::string problem_of(const RigidMotion& motion) {
  constexpr float kMost = 0.01f;  // tolerance for rotations written with three digits
  const Vector3(&r)[3] = motion.rotation;
  const Vector3 cross = {r[0].y * r[1].z - r[0].z * r[1].y, r[0].z * r[1].x - r[0].x * r[1].z,
                         r[0].x * r[1].y - r[0].y * r[1].x};
  const auto is_near = [](float value, float wanted) { return std::abs(value - wanted) <= kMost; };
  for (int row = 0; row < 3; ++row)
    if (!is_near(dot(r[row], r[row]), 1) || !is_near(dot(r[row], r[(row + 1) % 3]), 0) || !is_near(dot(cross, r[2]), 1))
      return "does not rotate: its first three columns must have length 1 and right angles, and not be mirrored";
  const Vector3& moved = motion.translation;
  if (!std::isfinite(moved.x) || !std::isfinite(moved.y) || !std::isfinite(moved.z))
    return "has a position that is not finite; use metres";
  return "";
}

RigidMotion inverse(const RigidMotion& motion) {
  const Vector3(&r)[3] = motion.rotation;
  RigidMotion back = {{{r[0].x, r[1].x, r[2].x}, {r[0].y, r[1].y, r[2].y}, {r[0].z, r[1].z, r[2].z}}};
  const Vector3& moved = motion.translation;
  back.translation = {-dot(back.rotation[0], moved), -dot(back.rotation[1], moved), -dot(back.rotation[2], moved)};
  return back;
}

}  // namespace fernwood::image
