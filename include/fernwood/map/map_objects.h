// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Questions about the objects of maps.

#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/camera.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/objects/object_tracker.h"

namespace fernwood::map {

struct ObjectQuery {
  std::string of_class = {};                ///< Name; empty: any.
  std::optional<image::Vector3> near = {};  ///< Nearest first; without, in the order of ids.
};

/// The objects that were confirmed, also those that are gone.
/// @throws Error(kUsage) for a map without a list of objects, or a class that it does not have.
std::vector<objects::TrackedObject> find_objects(const VoxelMap& map, const ObjectQuery& query = {});

}  // namespace fernwood::map
