// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Conversion of a voxel's sums for points and meshes.

#include <algorithm>
#include <array>

#include "map/voxel_content.h"

namespace fernwood::map {

/// Calls `visit(values, {x, y, z})` for the voxels of at least this weight, in the order of blocks and voxels.
template <typename Visit>
void for_each_voxel(const VoxelMap::Content& map, int min_weight, const Visit& visit) {
  for (const std::uint32_t block : map.sorted_blocks()) {
    const std::uint64_t key = map.table.keys()[block];
    for (std::int32_t i = 0; i < kBlockVoxels; ++i) {
      const std::uint16_t* const voxel = map.voxel(block, i);
      if (voxel[kWeight] < std::max(1, min_weight)) continue;
      visit(voxel, std::array<std::int32_t, 3>{block_origin(key, 0) + voxel_coordinate(i, 0),
                                               block_origin(key, 1) + voxel_coordinate(i, 1),
                                               block_origin(key, 2) + voxel_coordinate(i, 2)});
    }
  }
}

/// Unit normal, or 0 if unknown.
image::Vector3 voxel_normal(const std::uint16_t* voxel);
/// Mean position of the voxel's points, in units of the voxel side. @param at  Coordinates of the voxel.
image::Vector3 voxel_place(const std::uint16_t* voxel, const std::array<std::int32_t, 3>& at);
float class_probability(const std::uint16_t* voxel, std::size_t label);
/// Sets label, probability and colour of a point from a voxel.
void set_class(const VoxelMap::Content& map, const std::uint16_t* voxel, MapPoint* point);

}  // namespace fernwood::map
