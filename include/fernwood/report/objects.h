// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The objects of a frame for programs and people.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fernwood/image/camera.h"
#include "fernwood/image/labels.h"
#include "fernwood/objects/objects.h"

namespace fernwood::report {

/// What objects_json() and its relatives tell.
struct ObjectsOfFrame {
  const objects::FrameObjects& found;
  const image::ClassMap& classes;
  std::string frame = {};                       ///< Name.
  std::optional<image::RigidMotion> pose = {};  ///< Of the camera; objects are in the room then.
  std::span<const std::uint32_t> ids = {};      ///< [number - 1] Of objects::ObjectTracker; empty: not tracked.
};

/// One line of JSON with a final newline: objects, stuff and the measures of classes. Keys:
/// docs/reference/json_keys.md.
std::string objects_json(const ObjectsOfFrame& objects);
/// The objects that are counted, and the nearest one of each class: "2 chairs, nearest 1.4 m; 1 table, 2.0 m".
std::string objects_text(const ObjectsOfFrame& objects);

/// The measures of classes as lines of CSV, one for each class that the frame shows, below kMeasuresHeader.
std::string measures_csv(const ObjectsOfFrame& objects);
inline constexpr const char* kMeasuresHeader = "frame,class,count,pixels,area_m2,volume_m3,distance_m,direction_deg\n";

}  // namespace fernwood::report
