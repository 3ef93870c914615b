// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Surfaces of tracked objects: sets of cells in space.

#include <optional>
#include <vector>

#include "fernwood/image/camera.h"
#include "fernwood/objects/object_tracker.h"

namespace fernwood::objects {

/// Empty where coordinates have no cell: farther than 655 m from the origin.
std::optional<ObjectCell> cell_at(const image::Vector3& place);
image::Vector3 middle_of(const ObjectCell& cell);

/// Sorts cells, and removes those at the place of another one.
void sort_cells(std::vector<ObjectCell>& cells);
/// Adds one to the weight of the cells that were seen, up to kMaxCellWeight, and adds missing ones with a weight of 1.
/// @param cells, seen  Ascending.
void add_cells(std::vector<ObjectCell>& cells, const std::vector<ObjectCell>& seen);

/// Sets place and box by the cells with at least half of the largest weight. @param object  Has cells.
void measure_cells(TrackedObject& object);

}  // namespace fernwood::objects
