// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Kernels used only by gpu_map.cu: hash tables of blocks and voxels, sums of points, observations.

#include "map/frame_points.h"
#include "map/voxel_content.h"

namespace fernwood::map {

constexpr int kThreads = 256;
constexpr std::uint64_t kNoKey = 0;               // not the block_key() of any block that find_voxel() returns, see
                                                  // kMaxVoxel
constexpr std::uint32_t kMissing = 1u << 31;      // flag in a pixel's block: the rest is an index among the missing
                                                  // blocks
constexpr std::size_t kBlocksOfChunk = 1u << 10;  // allocated at once

/// Finds or inserts a key by open addressing with linear probing. @param is_new  Whether this thread inserted it.
__device__ std::uint32_t take_place(std::uint64_t* keys, std::uint32_t mask, std::uint64_t key, bool* is_new) {
  *is_new = false;
  for (auto at = static_cast<std::uint32_t>(hash_key(key)) & mask;; at = (at + 1) & mask) {
    const std::uint64_t there = keys[at];
    if (there == key) return at;
    if (there != kNoKey) continue;
    const auto before = atomicCAS(reinterpret_cast<unsigned long long*>(keys + at), kNoKey, key);
    *is_new = before == kNoKey;
    if (before == kNoKey || before == key) return at;
  }
}

/// Hash table from the keys of a map's blocks to their numbers, at most half full.
struct TableView {
  std::uint64_t* keys;
  std::uint32_t* blocks;
  std::uint32_t mask;

  __device__ std::uint32_t find(std::uint64_t key) const {
    for (auto at = static_cast<std::uint32_t>(hash_key(key)) & mask;; at = (at + 1) & mask) {
      if (keys[at] == key) return blocks[at];
      if (keys[at] == kNoKey) return kNoBlock;
    }
  }
};

/// Counters of the launches for a frame.
struct FusionTally {
  std::uint32_t num_missing, num_voxels, num_pixels, num_refused;
};

/// Blocks that a frame needs and the map does not have.
struct MissingView {
  std::uint64_t* keys;
  std::uint32_t* first;   // [place] lowest pixel
  std::uint32_t* number;  // [place] number of the block, once assigned by the host
  std::uint32_t* listed;  // places
  std::uint32_t mask;
};

struct MissingBlock {
  std::uint64_t key;
  std::uint32_t first, place;
};

__global__ void find_blocks_kernel(FramePoints view, TableView table, MissingView missing, std::uint32_t* points,
                                   std::uint32_t* blocks, FusionTally* tally) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  if (pixel >= static_cast<std::uint32_t>(view.rows * view.cols)) return;
  const auto cols = static_cast<std::uint32_t>(view.cols);
  VoxelPoint point;
  std::uint32_t block = kNoBlock;
  if (view.find(static_cast<std::int32_t>(pixel / cols), static_cast<std::int32_t>(pixel % cols), &point)) {
    points[pixel] = pack_point(point);
    const std::uint64_t key = block_key(point.x, point.y, point.z);
    block = table.find(key);
    if (block == kNoBlock) {
      bool is_new;
      const std::uint32_t place = take_place(missing.keys, missing.mask, key, &is_new);
      if (is_new) missing.listed[atomicAdd(&tally->num_missing, 1u)] = place;
      if (missing.first[place] > pixel) atomicMin(missing.first + place, pixel);
      block = kMissing | place;
    }
  }
  blocks[pixel] = block;
}

__global__ void list_missing_kernel(MissingView missing, std::uint32_t count, MissingBlock* list) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const std::uint32_t place = missing.listed[i];
  list[i] = {missing.keys[place], missing.first[place], place};
}

/// Stores the numbers assigned by the host.
__global__ void number_missing_kernel(MissingView missing, const MissingBlock* list, std::uint32_t count,
                                      TableView table) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const MissingBlock block = list[i];
  missing.number[block.place] = block.first;
  if (block.first == kNoBlock) return;
  bool is_new;
  table.blocks[take_place(table.keys, table.mask, block.key, &is_new)] = block.first;
}

/// Inserts all keys into an empty table.
__global__ void fill_table_kernel(const std::uint64_t* keys, std::uint32_t count, TableView table) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  bool is_new;
  table.blocks[take_place(table.keys, table.mask, keys[i], &is_new)] = i;
}

/// Voxels that contain points of a frame.
struct TouchedView {
  std::uint64_t* keys;
  std::uint32_t* slots;   // [place] index of its sums
  std::uint32_t* listed;  // [slot] place
  std::uint32_t mask;
};

/// Key of a voxel of a map; never kNoKey.
__device__ std::uint64_t voxel_key(std::uint32_t block, std::int32_t voxel) {
  return (static_cast<std::uint64_t>(block) * kBlockVoxels + static_cast<std::uint64_t>(voxel)) + 1;
}

/// @param blocks  [pixel] Input: output of find_blocks_kernel(). Output: place of the pixel's voxel, or kNoBlock.
__global__ void find_voxels_kernel(std::uint32_t num_pixels, const std::uint32_t* points, const std::uint32_t* numbers,
                                   std::uint32_t* blocks, TouchedView touched, FusionTally* tally) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  std::uint32_t block = pixel < num_pixels ? blocks[pixel] : kNoBlock;
  const bool has_place = block != kNoBlock;
  if (has_place && (block & kMissing) != 0) block = numbers[block & ~kMissing];
  const bool is_fused = block != kNoBlock;
  const unsigned fused = __ballot_sync(~0u, is_fused), refused = __ballot_sync(~0u, has_place && !is_fused);
  if (threadIdx.x % 32 == 0) {
    if (fused != 0) atomicAdd(&tally->num_pixels, static_cast<std::uint32_t>(__popc(fused)));
    if (refused != 0) atomicAdd(&tally->num_refused, static_cast<std::uint32_t>(__popc(refused)));
  }
  if (pixel >= num_pixels) return;
  std::uint32_t place = kNoBlock;
  if (is_fused) {
    bool is_new;
    place = take_place(touched.keys, touched.mask, voxel_key(block, packed_voxel(points[pixel])), &is_new);
    if (is_new) {
      const std::uint32_t slot = atomicAdd(&tally->num_voxels, 1u);
      touched.slots[place] = slot;
      touched.listed[slot] = place;
    }
  }
  blocks[pixel] = place;
}

struct ImagesView {
  const image::Rgb* color;  // or null
  const float* planes;      // [class][pixel]
  int num_classes;
};

/// @param sums  [slot][num_values() + 1] Input of add_observation(), followed by the sum of weights.
__global__ void add_points_kernel(FramePoints view, ImagesView images, const std::uint32_t* points,
                                  const std::uint32_t* places, const std::uint32_t* slots, std::int32_t* all_sums) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  const auto num_pixels = static_cast<std::uint32_t>(view.rows * view.cols);
  if (pixel >= num_pixels || places[pixel] == kNoBlock) return;
  const int stride = num_values(images.num_classes);
  std::int32_t* const sums = all_sums + static_cast<std::int64_t>(slots[places[pixel]]) * (stride + 1);
  const std::uint32_t packed = points[pixel];
  const auto cols = static_cast<std::uint32_t>(view.cols);
  atomicAdd(sums + kWeight, 1);
  atomicAdd(sums + stride, observation_weight(view.depth_mm[pixel]));
  for (int axis = 0; axis < 3; ++axis) atomicAdd(sums + kOffset + axis, packed_offset(packed, axis));
  if (images.color != nullptr) {
    const image::Rgb color = images.color[pixel];
    atomicAdd(sums + kColor, static_cast<std::int32_t>(color.r));
    atomicAdd(sums + kColor + 1, static_cast<std::int32_t>(color.g));
    atomicAdd(sums + kColor + 2, static_cast<std::int32_t>(color.b));
  }
  image::Vector3 normal;
  if (view.normal(static_cast<std::int32_t>(pixel / cols), static_cast<std::int32_t>(pixel % cols), &normal)) {
    atomicAdd(sums + kNormal, whole_normal(normal.x));
    atomicAdd(sums + kNormal + 1, whole_normal(normal.y));
    atomicAdd(sums + kNormal + 2, whole_normal(normal.z));
  }
  for (int c = 0; c < images.num_classes; ++c)
    if (const std::int32_t value = whole_probability(images.planes[static_cast<std::int64_t>(c) * num_pixels + pixel]))
      atomicAdd(sums + kFirstClass + c, value);
}

__global__ void add_observations_kernel(std::uint32_t num_voxels, TouchedView touched, const std::int32_t* all_sums,
                                        std::uint16_t* const* chunks, int stride) {
  const std::uint32_t slot = blockIdx.x * kThreads + threadIdx.x;
  if (slot >= num_voxels) return;
  const std::uint32_t place = touched.listed[slot];
  const std::uint64_t voxel = touched.keys[place] - 1;
  touched.keys[place] = kNoKey;  // for the next frame
  constexpr std::uint64_t kVoxelsOfChunk = kBlocksOfChunk * kBlockVoxels;
  const std::int32_t* const sums = all_sums + static_cast<std::int64_t>(slot) * (stride + 1);
  std::uint16_t* const to = chunks[voxel / kVoxelsOfChunk] + static_cast<std::int64_t>(voxel % kVoxelsOfChunk) * stride;
  add_observation(to, sums, stride, sums[stride]);
}

}  // namespace fernwood::map
