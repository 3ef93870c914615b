// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Positions of a frame's pixels in a map, shared by all devices.

#include <cstdint>

#include "map/voxel_formulas.h"

namespace fernwood::map {

/// Distance in pixels to the neighbours from which a normal is computed, in both directions. Only pixels of even rows
/// and columns have a normal.
inline constexpr std::int32_t kNormalReach = 4;

/// Packs the index of a point's voxel in its block (9 bits) and its offset in the voxel (7 bits per axis).
FW_HD std::uint32_t pack_point(const VoxelPoint& point) {
  return static_cast<std::uint32_t>(voxel_in_block(point.x, point.y, point.z)) |
         static_cast<std::uint32_t>(point.offset_x) << 9 | static_cast<std::uint32_t>(point.offset_y) << 16 |
         static_cast<std::uint32_t>(point.offset_z) << 23;
}
FW_HD std::int32_t packed_voxel(std::uint32_t packed) { return static_cast<std::int32_t>(packed & (kBlockVoxels - 1)); }
FW_HD std::int32_t packed_offset(std::uint32_t packed, int axis) {
  return static_cast<std::int32_t>(packed >> (9 + 7 * axis) & 127);
}

/// A frame's depth, with the data to compute positions in the grid of voxels. Pointers refer to the memory of the
/// device that uses them.
struct FramePoints {
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols], 0 = unknown.
  const float* ray_x = nullptr;             ///< [cols] x / z.
  const float* ray_y = nullptr;             ///< [rows] y / z.
  std::int32_t rows = 0, cols = 0;
  GridPose pose = {};
  std::int32_t max_depth_mm = 0;  ///< Points beyond are ignored.

  FW_HD std::int32_t depth_at(std::int32_t row, std::int32_t col) const {
    return depth_mm[static_cast<std::int64_t>(row) * cols + col];
  }
  FW_HD image::Vector3 place(std::int32_t row, std::int32_t col, std::int32_t depth) const {
    return pose(ray_x[col], ray_y[row], depth);
  }

  /// Finds a pixel's voxel. @return  False for pixels that are not fused: unknown depth, too far, or at an edge of
  /// depth.
  FW_HD bool find(std::int32_t row, std::int32_t col, VoxelPoint* point) const {
    const std::int32_t depth = depth_at(row, col);
    if (depth <= 0 || depth > max_depth_mm) return false;
    if ((col >= kEdgeStep && is_edge(depth, depth_at(row, col - kEdgeStep))) ||
        (col + kEdgeStep < cols && is_edge(depth, depth_at(row, col + kEdgeStep))) ||
        (row >= kEdgeStep && is_edge(depth, depth_at(row - kEdgeStep, col))) ||
        (row + kEdgeStep < rows && is_edge(depth, depth_at(row + kEdgeStep, col))))
      return false;
    return find_voxel(place(row, col, depth), point);
  }

  /// Computes a unit normal from positions kNormalReach pixels away. @return  False if one of them is unknown or on
  /// another surface, and for the three of four pixels that have no normal.
  FW_HD bool normal(std::int32_t row, std::int32_t col, image::Vector3* normal) const {
    if (row % 2 != 0 || col % 2 != 0) return false;
    constexpr std::int32_t kReach = kNormalReach;
    if (row < kReach || col < kReach || row + kReach >= rows || col + kReach >= cols) return false;
    const std::int32_t depth = depth_at(row, col);
    const std::int32_t left = depth_at(row, col - kReach), right = depth_at(row, col + kReach);
    const std::int32_t above = depth_at(row - kReach, col), below = depth_at(row + kReach, col);
    if (left == 0 || right == 0 || above == 0 || below == 0) return false;
    if (is_edge(depth, left) || is_edge(depth, right) || is_edge(depth, above) || is_edge(depth, below)) return false;
    *normal = surface_normal(difference(place(row, col + kReach, right), place(row, col - kReach, left)),
                             difference(place(row + kReach, col, below), place(row - kReach, col, above)));
    return true;
  }
};

}  // namespace fernwood::map
