// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Parts of the output about objects, of frames and of maps.

#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "core/result_json.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/labels.h"
#include "fernwood/objects/object_tracker.h"
#include "fernwood/objects/objects.h"

namespace fernwood::report {

/// Digits after the point: lengths in mm, areas in cm2, volumes in cl, directions in tenths of a degree.
inline constexpr int kLengthDigits = 3, kAreaDigits = 4, kVolumeDigits = 5, kAngleDigits = 1, kShareDigits = 3;

inline Json rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale + 0.0;  // no -0
}
inline Json rounded(float value, int digits) { return rounded(static_cast<double>(value), digits); }
inline Json rounded(const std::optional<double>& value, int digits) { return value ? rounded(*value, digits) : Json(); }

inline Json vector_json(const image::Vector3& vector, int digits = kLengthDigits) {
  return {rounded(vector.x, digits), rounded(vector.y, digits), rounded(vector.z, digits)};
}

inline Json box_json(const objects::Box& box) {
  constexpr int kAxisDigits = 5;
  Json axes = Json::array();
  for (const image::Vector3& axis : box.axes) axes.push_back(vector_json(axis, kAxisDigits));
  return {{"center", vector_json(box.center)},
          {"axes", axes},
          {"size", vector_json(box.size)},
          {"volume_m3", rounded(box.volume_m3(), kVolumeDigits)}};
}

/// The table of map_objects_text() for a page.
std::string map_objects_html(std::span<const objects::TrackedObject> list, const image::ClassMap& classes);

}  // namespace fernwood::report
