// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Questions about the objects of maps: which are there, and what has changed between two maps of a room.

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

struct ObjectChange {
  enum class Kind { kAppeared, kGone, kMoved };

  Kind kind;
  std::optional<objects::TrackedObject> before, after;  ///< Unless it has appeared; unless it is gone.
  double moved_m = 0;                                   ///< Distance of the centres.
};

struct ObjectChanges {
  std::vector<ObjectChange> list;  ///< Moved objects, then those that are gone, then those that have appeared.
  std::size_t num_same = 0;        ///< Objects of both maps, at the same place.
  std::size_t num_unseen = 0;      ///< Objects of one map whose place the other map does not contain.
};

/// Compares the objects of two maps of one room, in the same coordinates. Objects are the same if they have the same
/// class and a distance of at most half their size; others of the same class and similar size have moved, nearest
/// first.
/// @throws Error(kUsage) for a map without a list of objects, for maps of different classes, and for estimated poses,
/// whose coordinates are those of the first frame.
ObjectChanges object_changes(const VoxelMap& before, const VoxelMap& after);

}  // namespace fernwood::map
