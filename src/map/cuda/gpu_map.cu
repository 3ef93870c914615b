// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Fuses a frame into a map on a GPU: pixels find their blocks and register missing ones, which the host numbers in the
// order of their first pixels, as the CPU does; then pixels find the sums of their voxel and add to them, and each
// voxel gets its observation. Sums are whole numbers, so that their order does not matter.

#include "map/voxel_content.h"

#include <algorithm>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/launch.cuh"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"

namespace fernwood::map {

namespace {

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

/// Size of a table for this number of keys: a power of two, at most half full.
std::size_t places_for(std::size_t num_keys) {
  std::size_t places = 1024;
  while (places < 2 * num_keys) places *= 2;
  return places;
}

class VoxelFusion : public GpuMap {
 public:
  VoxelFusion(VoxelMap::Content& map, int gpu) : map_(map), gpu_(gpu), stream_(in_use(gpu)) {
    make_room();
    for (std::size_t block = 0; block < map_.blocks.size(); ++block)
      cuda::copy_to_gpu(map_.blocks[block].get(), map_.block_values(), on_gpu(block), stream_);
    stream_.synchronize();
  }

  FusedFrame integrate(const MapFrame& frame) override {
    cuda::use_gpu(gpu_);
    upload(frame.frame);
    const std::size_t size = frame.frame.depth_mm.size();
    probabilities_.resize(size * frame.probabilities.size());
    for (std::size_t c = 0; c < frame.probabilities.size(); ++c)
      cuda::copy_to_gpu(frame.probabilities[c].data(), size, probabilities_.data() + c * size, stream_);
    return fuse(frame.frame, frame.pose);
  }

  FusedFrame label_and_integrate(const image::Frame& frame, const image::RigidMotion& pose,
                                 predict::Predictor& predictor, FusionTimes* times) override {
    cuda::use_gpu(gpu_);
    const double start = seconds_now();
    upload(frame);
    image::FrameImages images(frame);
    images.color = frame.color.empty() ? nullptr : color_.data();
    images.depth_mm = depth_.data();
    images.pose = pose;
    const std::size_t size = frame.depth_mm.size();
    labels_.resize(size);
    probabilities_.resize(size * map_.classes.size());
    predictor.predict_on_device(images, {.labels = labels_.data(), .probabilities = probabilities_.data()},
                                static_cast<cudaStream_t>(stream_));
    stream_.synchronize();
    const double labelled = seconds_now();
    const FusedFrame fused = fuse(frame, pose);
    stream_.synchronize();
    if (times != nullptr) *times = {labelled - start, seconds_now() - labelled};
    return fused;
  }

  void fetch() override {
    if (!has_changed_) return;
    cuda::use_gpu(gpu_);
    for (std::size_t block = 0; block < map_.blocks.size(); ++block) {
      if (!map_.blocks[block]) map_.blocks[block] = std::make_unique<std::uint16_t[]>(map_.block_values());
      cuda::copy_to_host(on_gpu(block), map_.block_values(), map_.blocks[block].get(), stream_);
    }
    stream_.synchronize();
    has_changed_ = false;
  }

 private:
  static cuda::Stream in_use(int gpu) {
    cuda::use_gpu(gpu);
    return {};
  }

  std::uint16_t* on_gpu(std::size_t block) {
    return chunks_[block / kBlocksOfChunk].data() + block % kBlocksOfChunk * map_.block_values();
  }

  /// Allocates memory for all blocks of the map, and enlarges the table if necessary.
  void make_room() {
    const std::vector<std::uint64_t>& keys = map_.table.keys();
    while (chunks_.size() * kBlocksOfChunk < keys.size()) {
      cuda::GpuBuffer<std::uint16_t>& chunk = chunks_.emplace_back(kBlocksOfChunk * map_.block_values());
      cuda::fill_with_zeros(chunk.view(), stream_);
    }
    std::vector<std::uint16_t*> starts;
    for (cuda::GpuBuffer<std::uint16_t>& chunk : chunks_) starts.push_back(chunk.data());
    chunk_starts_.upload(starts, stream_);
    if (const std::size_t places = places_for(keys.size()); places > table_keys_.size()) {
      table_keys_.resize(2 * places);  // reserve for further blocks
      table_blocks_.resize(2 * places);
      cuda::fill_with_zeros(table_keys_.view(), stream_);
      all_keys_.upload(keys, stream_);
      const auto count = static_cast<std::uint32_t>(keys.size());
      cuda::launch("fill_table", fill_table_kernel, cuda::blocks_for(count, kThreads), kThreads, 0, stream_,
                   all_keys_.data(), count, table());
    }
  }
  TableView table() {
    return {table_keys_.data(), table_blocks_.data(), static_cast<std::uint32_t>(table_keys_.size() - 1)};
  }

  /// Uploads after the previous frame is fused: copies are enqueued behind it.
  void upload(const image::Frame& frame) {
    FW_CHECK(frame.depth_mm.size() <= static_cast<std::size_t>(kMaxPoints), Data,
             "the frame has " << frame.depth_mm.size() << " pixels; on a GPU a map takes frames of up to " << kMaxPoints
                              << ", use " << named_option("device", "cpu") << " or smaller frames");
    depth_.upload({frame.depth_mm.data(), frame.depth_mm.size()}, stream_);
    color_.upload({frame.color.data(), frame.color.size()}, stream_);
  }

  /// Fuses the content of depth_, color_ and probabilities_.
  FusedFrame fuse(const image::Frame& frame, const image::RigidMotion& pose) {
    const std::size_t size = frame.depth_mm.size();
    const FramePoints view = points_on_gpu(frame, pose);
    begin(size);
    has_changed_ = true;
    const unsigned blocks = cuda::blocks_for(size, kThreads);
    const auto num_pixels = static_cast<std::uint32_t>(size);
    const MissingView missing = {missing_keys_.data(), missing_first_.data(), missing_number_.data(),
                                 missing_listed_.data(), static_cast<std::uint32_t>(missing_keys_.size() - 1)};
    cuda::launch("find_blocks", find_blocks_kernel, blocks, kThreads, 0, stream_, view, table(), missing,
                 points_.data(), blocks_.data(), tally_.data());
    if (const std::uint32_t count = read_tally().num_missing; count > 0) add_missing(missing, count);

    const TouchedView touched = {touched_keys_.data(), slots_.data(), touched_listed_.data(),
                                 static_cast<std::uint32_t>(touched_keys_.size() - 1)};
    cuda::launch("find_voxels", find_voxels_kernel, blocks, kThreads, 0, stream_, num_pixels, points_.data(),
                 missing_number_.data(), blocks_.data(), touched, tally_.data());
    const FusionTally tally = read_tally();
    const int stride = map_.stride();
    sums_.resize(static_cast<std::size_t>(tally.num_voxels) * static_cast<std::size_t>(stride + 1));
    cuda::fill_with_zeros(sums_.view(), stream_);
    const ImagesView images = {frame.color.empty() ? nullptr : color_.data(), probabilities_.data(),
                               map_.num_classes()};
    cuda::launch("add_points", add_points_kernel, blocks, kThreads, 0, stream_, view, images, points_.data(),
                 blocks_.data(), slots_.data(), sums_.data());
    cuda::launch("add_observations", add_observations_kernel, cuda::blocks_for(tally.num_voxels, kThreads), kThreads, 0,
                 stream_, tally.num_voxels, touched, sums_.data(), chunk_starts_.data(), stride);
    return {tally.num_pixels, tally.num_voxels, tally.num_refused};
  }

  FramePoints points_on_gpu(const image::Frame& frame, const image::RigidMotion& pose) {
    const PixelRays rays(frame);
    ray_x_.upload(rays.x, stream_);
    ray_y_.upload(rays.y, stream_);
    FramePoints view = frame_points(frame.depth_mm, rays, pose, map_.options);
    view.depth_mm = depth_.data();
    view.ray_x = ray_x_.data();
    view.ray_y = ray_y_.data();
    return view;
  }

  /// Allocates memory for a frame's pixels; tables are empty between frames.
  void begin(std::size_t size) {
    if (size > points_.size()) {
      for (cuda::GpuBuffer<std::uint32_t>* buffer : {&points_, &blocks_, &missing_listed_, &touched_listed_})
        buffer->resize(size);
      const std::size_t places = places_for(size);
      for (cuda::GpuBuffer<std::uint32_t>* buffer : {&missing_first_, &missing_number_, &slots_})
        buffer->resize(places);
      for (cuda::GpuBuffer<std::uint64_t>* buffer : {&missing_keys_, &touched_keys_}) {
        buffer->resize(places);
        cuda::fill_with_zeros(buffer->view(), stream_);
      }
      forget_first_pixels();
    }
    cuda::fill_with_zeros(tally_.view(), stream_);
  }
  void forget_first_pixels() {
    cuda::check(cudaMemsetAsync(missing_first_.data(), 0xff, missing_first_.size_bytes(), stream_), "clearing memory");
  }

  FusionTally read_tally() {
    cuda::copy_to_host(static_cast<const FusionTally*>(tally_.data()), 1, host_tally_.data(), stream_);
    stream_.synchronize();
    return *host_tally_.data();
  }

  void add_missing(const MissingView& missing, std::uint32_t count) {
    list_.resize(count);
    const unsigned blocks = cuda::blocks_for(count, kThreads);
    cuda::launch("list_missing", list_missing_kernel, blocks, kThreads, 0, stream_, missing, count, list_.data());
    std::vector<MissingBlock> list(count);
    cuda::copy_to_host(static_cast<const MissingBlock*>(list_.data()), count, list.data(), stream_);
    stream_.synchronize();
    std::sort(list.begin(), list.end(), [](const MissingBlock& a, const MissingBlock& b) { return a.first < b.first; });
    for (MissingBlock& block : list) block.first = map_.add_block(block.key, VoxelMap::Content::Memory::kElsewhere);
    make_room();
    numbered_.upload(list, stream_);
    cuda::launch("number_missing", number_missing_kernel, blocks, kThreads, 0, stream_, missing, numbered_.data(),
                 count, table());
    cuda::fill_with_zeros(missing_keys_.view(), stream_);
    forget_first_pixels();
  }

  VoxelMap::Content& map_;
  int gpu_;
  cuda::Stream stream_;
  bool has_changed_ = false;  // since blocks were last fetched

  std::vector<cuda::GpuBuffer<std::uint16_t>> chunks_;  // memory of blocks
  cuda::UploadedBuffer<std::uint16_t*> chunk_starts_;
  cuda::GpuBuffer<std::uint64_t> table_keys_;
  cuda::GpuBuffer<std::uint32_t> table_blocks_;
  cuda::UploadedBuffer<std::uint64_t> all_keys_;

  cuda::UploadedBuffer<std::uint16_t> depth_;
  cuda::UploadedBuffer<image::Rgb> color_;
  cuda::UploadedBuffer<float> ray_x_, ray_y_;
  cuda::GpuBuffer<float> probabilities_;  // [class][pixel]
  cuda::GpuBuffer<std::uint16_t> labels_;

  cuda::GpuBuffer<std::uint32_t> points_, blocks_;  // [pixel] packed; see find_blocks_kernel()
  cuda::GpuBuffer<std::uint64_t> missing_keys_, touched_keys_;
  cuda::GpuBuffer<std::uint32_t> missing_first_, missing_number_, missing_listed_, slots_, touched_listed_;
  cuda::GpuBuffer<MissingBlock> list_;
  cuda::UploadedBuffer<MissingBlock> numbered_;
  cuda::GpuBuffer<std::int32_t> sums_;
  cuda::GpuBuffer<FusionTally> tally_{1};
  cuda::PinnedBuffer<FusionTally> host_tally_{1};
};

}  // namespace

std::unique_ptr<GpuMap> make_gpu_map(VoxelMap::Content& content, int gpu) {
  return std::make_unique<VoxelFusion>(content, gpu);
}

}  // namespace fernwood::map
