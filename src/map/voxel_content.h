// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a VoxelMap holds: blocks of voxels, and the hash table that finds them.

#include <limits>
#include <memory>
#include <vector>

#include "fernwood/map/voxel_map.h"
#include "map/frame_points.h"
#include "map/gpu_map.h"
#include "map/voxel_formulas.h"

namespace fernwood::map {

inline constexpr std::uint32_t kNoBlock = std::numeric_limits<std::uint32_t>::max();

/// Numbers keys in the order in which they come: open addressing, linear probing, half full at most.
class BlockTable {
 public:
  std::uint32_t find(std::uint64_t key) const {
    if (cells_.empty()) return kNoBlock;
    const std::size_t mask = cells_.size() - 1;
    for (std::size_t at = hash_key(key) & mask;; at = (at + 1) & mask) {
      const std::uint32_t block = cells_[at];
      if (block == kNoBlock || keys_[block] == key) return block;
    }
  }
  /// A key that is not there yet. @return  Its number.
  std::uint32_t insert(std::uint64_t key);
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  std::size_t memory_bytes() const { return keys_.capacity() * sizeof(keys_[0]) + cells_.size() * sizeof(cells_[0]); }

 private:
  void put(std::uint32_t block);

  std::vector<std::uint64_t> keys_;   // [block]
  std::vector<std::uint32_t> cells_;  // a power of two of them
};

/// A frame adds a direction of that length to the map's way up.
inline constexpr double kUpUnit = 1000;

struct VoxelMap::Content {
  MapOptions options;
  image::ClassMap classes;
  std::vector<std::uint32_t> label_factors;  ///< [class] By which labels are chosen, the largest kLargestFactor.
  std::uint64_t num_frames = 0;
  bool has_color = false;               ///< Of any frame.
  bool has_estimated_poses = false;     ///< See VoxelMap.
  std::array<std::int64_t, 3> up = {};  ///< See VoxelMap::up(), in whole parts of 1 / kUpUnit.
  BlockTable table;
  /// [block][voxel][value], see kWeight and what follows it. On a GPU null or old until it is fetched.
  std::vector<std::unique_ptr<std::uint16_t[]>> blocks;
  Device device;
  std::unique_ptr<GpuMap> gpu;  ///< Where device is one.

  int num_classes() const { return static_cast<int>(classes.size()); }
  int stride() const { return num_values(num_classes()); }
  std::size_t block_values() const {
    return static_cast<std::size_t>(kBlockVoxels) * static_cast<std::size_t>(stride());
  }
  std::size_t block_bytes() const { return block_values() * sizeof(std::uint16_t); }
  float voxels_per_m() const { return static_cast<float>(1 / options.voxel_m); }

  const std::uint16_t* voxel(std::uint32_t block, std::int32_t index) const {
    return blocks[block].get() + static_cast<std::ptrdiff_t>(index) * stride();
  }
  /// Null where no block is.
  const std::uint16_t* find(std::int32_t x, std::int32_t y, std::int32_t z) const {
    const std::uint32_t block = table.find(block_key(x, y, z));
    return block == kNoBlock ? nullptr : voxel(block, voxel_in_block(x, y, z));
  }
  /// Whether the memory budget has room for so many blocks.
  bool fits(std::uint64_t num_blocks) const;
  /// A block that is not there yet; kNoBlock where the memory budget has no room for it.
  enum class Memory { kHere, kElsewhere };
  std::uint32_t add_block(std::uint64_t key, Memory memory = Memory::kHere);
  /// A frame that was fused.
  void count(const image::Frame& frame, const image::RigidMotion& pose);
  /// Blocks in the order of their keys.
  std::vector<std::uint32_t> sorted_blocks() const;
};

inline constexpr std::uint32_t kLargestFactor = 1u << 16;

/// The class whose sum times factor is largest, the first of equals; kVoid where all are 0.
template <typename Sum>
std::uint16_t best_class(const Sum* sums, const std::vector<std::uint32_t>& factors) {
  std::uint64_t best = 0;
  std::uint16_t label = image::kVoid;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    const std::uint64_t value = static_cast<std::uint64_t>(sums[c]) * factors[c];
    if (value > best) {
      best = value;
      label = static_cast<std::uint16_t>(c);
    }
  }
  return label;
}

/// The grid's view from a camera's pose.
GridPose grid_pose(const image::RigidMotion& pose, float voxels_per_m);

/// x / z of each column and y / z of each row.
struct PixelRays {
  PixelRays(const image::Frame& frame);
  std::vector<float> x, y;
};

/// Views of these.
FramePoints frame_points(const Array2<std::uint16_t>& depth_mm, const PixelRays& rays, const image::RigidMotion& pose,
                         const MapOptions& options);

}  // namespace fernwood::map
