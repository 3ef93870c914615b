// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Content of a VoxelMap: blocks of voxels, and the hash table that finds them.

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "fernwood/image/pose_agreement.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/map/voxel_recording.h"
#include "image/registration.h"
#include "map/voxel_formulas.h"

namespace fernwood::map {

// A map's blocks on a GPU.

/// Fuses frames with results bit-identical to the CPU. The table of blocks is also kept on the host; the content of
/// blocks is copied back on request.
class GpuMap {
 public:
  virtual ~GpuMap() = default;
  /// See VoxelMap::integrate(). @param frame  Must have valid sizes.
  virtual FusedFrame integrate(const MapFrame& frame) = 0;
  /// See VoxelMap::label_and_integrate(). @param predictor  Must be on this GPU.
  virtual FusedFrame label_and_integrate(const image::Frame& frame, const image::RigidMotion& pose,
                                         predict::Predictor& predictor, FusionTimes* times) = 0;
  /// Copies the content of changed blocks to the map on the host.
  virtual void fetch() = 0;
};

/// @param content  Content of the map; must outlive the GpuMap. Its blocks are copied to the GPU.
/// @throws Error(kDevice), and Error(kResource) if they do not fit the GPU's memory.
std::unique_ptr<GpuMap> make_gpu_map(VoxelMap::Content& content, int gpu);

inline constexpr std::uint32_t kNoBlock = std::numeric_limits<std::uint32_t>::max();

/// Assigns consecutive numbers to keys: open addressing, linear probing, at most half full.
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
  /// Inserts a key that is not in the table. @return  Its number.
  std::uint32_t insert(std::uint64_t key);
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  std::size_t memory_bytes() const { return keys_.capacity() * sizeof(keys_[0]) + cells_.size() * sizeof(cells_[0]); }

 private:
  void put(std::uint32_t block);

  std::vector<std::uint64_t> keys_;   // [block]
  std::vector<std::uint32_t> cells_;  // number is a power of two
};

/// Length of the up direction that each frame adds to the map's sum.
inline constexpr double kUpUnit = 1000;

struct VoxelMap::Content {
  MapOptions options;
  image::ClassMap classes;
  std::vector<std::uint32_t> label_factors;  ///< [class] For the choice of labels; the largest is kLargestFactor.
  std::uint64_t num_frames = 0;
  bool has_color = false;               ///< Whether any frame has colour.
  bool has_estimated_poses = false;     ///< See VoxelMap.
  std::array<std::int64_t, 3> up = {};  ///< See VoxelMap::up(), in units of 1 / kUpUnit.
  objects::ObjectTracker objects = {};
  BlockTable table;
  /// [block][voxel][value], see kWeight and the constants after it. On a GPU null or outdated until fetched.
  std::vector<std::unique_ptr<std::uint16_t[]>> blocks;
  Device device;
  std::unique_ptr<GpuMap> gpu;  ///< If the device is a GPU.

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
  /// Null if the block does not exist.
  const std::uint16_t* find(std::int32_t x, std::int32_t y, std::int32_t z) const {
    const std::uint32_t block = table.find(block_key(x, y, z));
    return block == kNoBlock ? nullptr : voxel(block, voxel_in_block(x, y, z));
  }
  /// Whether this number of blocks fits the memory budget.
  bool fits(std::uint64_t num_blocks) const;
  /// Adds a block that does not exist; returns kNoBlock if it does not fit the memory budget.
  enum class Memory { kHere, kElsewhere };
  std::uint32_t add_block(std::uint64_t key, Memory memory = Memory::kHere);
  /// Counts a fused frame, and adds its up direction.
  void count(const image::Frame& frame, const image::RigidMotion& pose);
  /// Block numbers in the order of their keys.
  std::vector<std::uint32_t> sorted_blocks() const;
};

inline constexpr std::uint32_t kLargestFactor = 1u << 16;

/// The class with the largest product of sum and factor, the first of equal ones; kVoid if all are 0.
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

/// The transformation from pixels of a camera at this pose to the grid.
GridPose grid_pose(const image::RigidMotion& pose, float voxels_per_m);

/// x / z of each column and y / z of each row.
struct PixelRays {
  PixelRays(const image::Frame& frame);
  std::vector<float> x, y;
};

/// Combines depth, rays and pose; the result refers to depth_mm and rays.
FramePoints frame_points(const Array2<std::uint16_t>& depth_mm, const PixelRays& rays, const image::RigidMotion& pose,
                         const MapOptions& options);

// Conversion of a voxel's sums for points and meshes.

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
/// Sets MapPoint::object of points, by their places and classes.
void set_objects(const objects::ObjectTracker& tracker, std::vector<MapPoint>& points);

/// Finds the camera poses of a recording's frames: from the source, checked against depth, or by registration.
class FrameLocator {
 public:
  explicit FrameLocator(bool has_poses) : has_poses_(has_poses) {}

  /// Pose of the next frame, which must have depth; nullopt if the frame must be left out, with the reason counted in
  /// `report`.
  std::optional<image::RigidMotion> locate(const recordings::CapturedFrame& frame, RecordingReport& report);
  image::PoseAgreement agreement() const { return poses_.agreement(); }

 private:
  std::optional<image::RigidMotion> check(const recordings::CapturedFrame& frame, RecordingReport& report);
  std::optional<image::RigidMotion> estimate(const recordings::CapturedFrame& frame, RecordingReport& report);

  bool has_poses_;
  image::PoseMeter poses_;
  std::optional<image::FrameSurfaces> last_surfaces_;  // surfaces of the last registered frame
  image::RigidMotion last_pose_, last_motion_;
};

}  // namespace fernwood::map
