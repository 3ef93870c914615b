// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The arithmetic of voxel maps, shared by all devices: the voxel of a point, the observation that a frame adds to a
// voxel, and the halving of a voxel's sums. Sums are whole numbers, so that they do not depend on the order of points.

#include <cmath>
#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"

namespace fernwood::map {

inline constexpr int kBlockBits = 3;
inline constexpr int kBlockSide = 1 << kBlockBits;
inline constexpr int kBlockVoxels = kBlockSide * kBlockSide * kBlockSide;

/// The values of a voxel, 16 bits each: its weight, and sums of weight times a mean: of colours and probabilities in
/// [0, kUnit], of normals in +- kNormalUnit (two's complement), of offsets of points in the voxel in [0, kOffsetUnit].
inline constexpr int kWeight = 0, kColor = 1, kNormal = 4, kOffset = 7, kFirstClass = 10;
inline constexpr std::int32_t kUnit = 255, kNormalUnit = 127, kOffsetUnit = 127;
/// Weight at which a voxel's values are halved: kUnit times it fits in 16 bits.
inline constexpr std::int32_t kMaxWeight = 256;
/// Maximum weight of a frame in a voxel.
inline constexpr std::int32_t kMaxFrameWeight = 4;

FW_HD int num_values(int num_classes) { return kFirstClass + num_classes; }

/// A voxel of the grid, and the offset of a point in it, in 1 / kOffsetUnit of its side.
struct VoxelPoint {
  std::int32_t x = 0, y = 0, z = 0;
  std::int32_t offset_x = 0, offset_y = 0, offset_z = 0;
};

inline constexpr float kMaxVoxel = 4194304.0f;  // limit of the grid, 2^22 voxels from the origin: 42 km with voxels of
                                                // 1 cm

FW_HD std::int32_t floor_to_int(float value) {
  const auto whole = static_cast<std::int32_t>(value);
  return whole - (value < static_cast<float>(whole) ? 1 : 0);
}

/// @param grid  Position in units of the voxel side. @return  False for positions beyond the grid, and for NaN.
FW_HD bool find_voxel(const image::Vector3& grid, VoxelPoint* found) {
  const bool inside = grid.x > -kMaxVoxel && grid.x < kMaxVoxel && grid.y > -kMaxVoxel && grid.y < kMaxVoxel &&
                      grid.z > -kMaxVoxel && grid.z < kMaxVoxel;
  if (!inside) return false;
  const auto offset = [](float value, std::int32_t whole) {
    return static_cast<std::int32_t>((value - static_cast<float>(whole)) * static_cast<float>(kOffsetUnit) + 0.5f);
  };
  found->x = floor_to_int(grid.x);
  found->y = floor_to_int(grid.y);
  found->z = floor_to_int(grid.z);
  found->offset_x = offset(grid.x, found->x);
  found->offset_y = offset(grid.y, found->y);
  found->offset_z = offset(grid.z, found->z);
  return true;
}

/// Weight of one of the eight voxels around a point, by the position of the point between their centres. @param corner
/// Three bits: whether the voxel is the second one along x, y and z.
FW_HD std::uint32_t corner_share(const VoxelPoint& first, int corner) {
  const auto along = [](std::int32_t offset, int beyond) {
    return static_cast<std::uint32_t>(beyond != 0 ? offset : kOffsetUnit - offset);
  };
  return along(first.offset_x, corner & 4) * along(first.offset_y, corner & 2) * along(first.offset_z, corner & 1);
}

/// Key of the block of a voxel; keys are ordered by x, y, z. Arithmetic shifts round down, also below 0.
FW_HD std::uint64_t block_key(std::int32_t x, std::int32_t y, std::int32_t z) {
  const auto part = [](std::int32_t voxel) {
    return static_cast<std::uint64_t>((voxel >> kBlockBits) + (1 << 20)) & 0x1fffff;
  };
  return part(x) << 42 | part(y) << 21 | part(z);
}
FW_HD std::int32_t voxel_in_block(std::int32_t x, std::int32_t y, std::int32_t z) {
  constexpr std::int32_t kMask = kBlockSide - 1;
  return (x & kMask) << (2 * kBlockBits) | (y & kMask) << kBlockBits | (z & kMask);
}
/// The first voxel of a block, along axis 0, 1 or 2.
FW_HD std::int32_t block_origin(std::uint64_t key, int axis) {
  const auto part = static_cast<std::int32_t>(key >> (42 - 21 * axis) & 0x1fffff);
  return (part - (1 << 20)) * kBlockSide;
}
/// Coordinate of a voxel in its block.
FW_HD std::int32_t voxel_coordinate(std::int32_t voxel, int axis) {
  return voxel >> (kBlockBits * (2 - axis)) & (kBlockSide - 1);
}

FW_HD std::uint64_t hash_key(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15u;
  return key ^ key >> 32;
}

/// Weight of a frame's points at a mean depth: the error of structured light grows with the square of depth. 4 up to 2
/// m, 1 from 3.3 m on.
FW_HD std::int32_t observation_weight(std::uint32_t depth_mm) {
  const std::uint32_t square = depth_mm * depth_mm;  // depths have 15 bits
  const std::uint32_t weight = (16000000u + square / 2) / (square > 0 ? square : 1);
  return weight < 1                                             ? 1
         : weight > static_cast<std::uint32_t>(kMaxFrameWeight) ? kMaxFrameWeight
                                                                : static_cast<std::int32_t>(weight);
}

/// A probability in the units that voxels sum. Values outside of [0, 1], which a model file may contain, are clamped.
FW_HD std::int32_t whole_probability(float probability) {
  const float scaled = probability * static_cast<float>(kUnit) + 0.5f;
  return scaled >= 0.5f ? scaled < kUnit + 1.0f ? static_cast<std::int32_t>(scaled) : kUnit : 0;
}
/// A coordinate of a unit direction, in 1 / kNormalUnit.
FW_HD std::int32_t whole_normal(float coordinate) { return round_to_int(coordinate * static_cast<float>(kNormalUnit)); }

/// Maximum number of points of a frame in a voxel, beyond which points are ignored: their sums fit in 32 bits.
inline constexpr std::int32_t kMaxPoints = 1 << 21;
/// Contribution of points to a sum of a voxel: weight times their mean, rounded, halves away from 0. @param sum  Of
/// `count` 8-bit values, count up to kMaxPoints.
FW_HD std::int32_t observed(std::int32_t sum, std::int32_t count, std::int32_t weight) {
  const std::uint32_t size = sum < 0 ? static_cast<std::uint32_t>(-sum) : static_cast<std::uint32_t>(sum);
  const auto points = static_cast<std::uint32_t>(count);
  const auto rounded = static_cast<std::int32_t>((size * static_cast<std::uint32_t>(weight) + points / 2) / points);
  return sum < 0 ? -rounded : rounded;
}

FW_HD image::Vector3 difference(const image::Vector3& a, const image::Vector3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
/// Unit normal towards the camera; 0 if the differences are collinear. @param right, down  Differences along rows and
/// columns.
FW_HD image::Vector3 surface_normal(const image::Vector3& right, const image::Vector3& down) {
  const image::Vector3 normal = {down.y * right.z - down.z * right.y, down.z * right.x - down.x * right.z,
                                 down.x * right.y - down.y * right.x};
  const float square = image::dot(normal, normal);
  const float scale = square > 0.0f ? 1.0f / std::sqrt(square) : 0.0f;
  return {normal.x * scale, normal.y * scale, normal.z * scale};
}

/// Called before an observation is added: halves all values of a voxel if the weight would exceed kMaxWeight, so that
/// old observations count less. The weight is rounded up, and sums are rounded towards 0, so that a sum never exceeds
/// its unit times the weight.
FW_HD void make_room(std::uint16_t* voxel, int num_values, std::int32_t weight) {
  if (voxel[kWeight] + weight <= kMaxWeight) return;
  voxel[kWeight] = static_cast<std::uint16_t>((voxel[kWeight] + 1) / 2);
  for (int i = kColor; i < num_values; ++i) {
    const bool is_signed = i >= kNormal && i < kNormal + 3;
    voxel[i] = is_signed ? static_cast<std::uint16_t>(static_cast<std::int16_t>(voxel[i]) / 2)
                         : static_cast<std::uint16_t>(voxel[i] / 2);
  }
}

/// Adds a frame's observation to a voxel. @param sums  [value] Over its points; kWeight: their number. @param weights
/// Sum of the weights of the points.
FW_HD void add_observation(std::uint16_t* voxel, const std::int32_t* sums, int num_values, std::int32_t weights) {
  const std::int32_t count = sums[kWeight];
  const std::int32_t weight = observed(weights, count, 1);
  make_room(voxel, num_values, weight);
  voxel[kWeight] = static_cast<std::uint16_t>(voxel[kWeight] + weight);
  for (int i = kColor; i < num_values; ++i)
    voxel[i] = static_cast<std::uint16_t>(voxel[i] + observed(sums[i], count, weight));
}

/// Affine transformation from pixels to the grid of voxels: the displacement per unit of the pixel's ray and per mm of
/// depth.
struct GridPose {
  image::Vector3 right, down, ahead;  ///< In voxels, per mm of depth.
  image::Vector3 origin;              ///< Position of the camera, in voxels.

  /// @param ray_x, ray_y  x / z and y / z of the pixel.
  FW_HD image::Vector3 operator()(float ray_x, float ray_y, std::int32_t depth_mm) const {
    const auto z = static_cast<float>(depth_mm);
    return {origin.x + z * (right.x * ray_x + down.x * ray_y + ahead.x),
            origin.y + z * (right.y * ray_x + down.y * ray_y + ahead.y),
            origin.z + z * (right.z * ray_x + down.z * ray_y + ahead.z)};
  }
};

/// Whether a pixel is at an edge of depth, where a camera measures a mixture of two surfaces: a known depth beside it
/// differs by more than 1 / kEdgeShare of the pixel's own.
inline constexpr std::int32_t kEdgeShare = 25, kEdgeStep = 2;
FW_HD bool is_edge(std::int32_t depth_mm, std::int32_t neighbour_mm) {
  const std::int32_t difference = neighbour_mm > depth_mm ? neighbour_mm - depth_mm : depth_mm - neighbour_mm;
  return neighbour_mm > 0 && difference * kEdgeShare > depth_mm;
}

// Positions of a frame's pixels in a map.

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
