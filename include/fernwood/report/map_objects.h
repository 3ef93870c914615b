// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The objects of a map, and what has changed since another one, for programs and people.

#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"
#include "fernwood/map/map_objects.h"

namespace fernwood::report {

struct MapObjects {
  std::string map;  ///< Name of the file.
  std::vector<objects::TrackedObject> list;
  const image::ClassMap& classes;
  std::optional<image::Vector3> near = {};  ///< As in map::ObjectQuery.
};

/// A row for each object.
std::string map_objects_text(const MapObjects& objects);
/// Keys: docs/reference/map.md.
std::string map_objects_json(const MapObjects& objects);

/// A line for each change.
std::string object_changes_text(const map::ObjectChanges& changes, const image::ClassMap& classes);
/// @param before, after  Names of the maps. Keys: docs/reference/map.md.
std::string object_changes_json(const map::ObjectChanges& changes, const image::ClassMap& classes,
                                const std::string& before, const std::string& after);

}  // namespace fernwood::report
