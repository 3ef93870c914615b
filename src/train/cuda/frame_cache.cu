// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/frame_cache.h"

#include <algorithm>

#include "core/cuda/launch.cuh"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "image/prepare_steps.h"

namespace fernwood::train {

namespace {

/// Number of loaders: copies of one run concurrently with the preparation of others.
constexpr std::size_t kLoaders = 3;
/// Number of batches per cache size in a visit: one batch is processed while the next is loaded.
constexpr std::size_t kBatches = 4;

__global__ void pack_plane_kernel(const std::uint32_t* sums, const std::uint32_t* counts, std::uint32_t* packed,
                                  std::int32_t least, std::uint32_t size) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) packed[i] = pack_sum(sums[i], counts[i], least);
}

__global__ void write_table_kernel(TrainFrame frame, TrainFrame* table, std::uint32_t index) { table[index] = frame; }

/// Writes the plane of packed sums (see pack_sum) of a channel with a count plane.
void pack_plane(const TrainFrame& frame, std::int32_t channel, std::uint32_t* planes, const cuda::Stream& stream) {
  const auto size = static_cast<std::uint32_t>(frame.view.plane_size);
  const PackedPlane packed = frame.packed[channel];
  const auto plane = [&](std::int32_t index) { return planes + static_cast<std::size_t>(index) * size; };
  const std::uint32_t *sums = plane(channel), *counts = plane(frame.view.count_plane[channel]);
  cuda::launch("packing sums", pack_plane_kernel, cuda::blocks_for(size, 256), 256, 0, stream, sums, counts,
               plane(packed.plane), packed.least, size);
}

/// Writes table[index]. The entry is passed as a kernel argument, so that the host need not keep it.
void write_table(const TrainFrame& frame, TrainFrame* table, std::uint32_t index, const cuda::Stream& stream) {
  cuda::launch("noting a frame", write_table_kernel, 1, 1, 0, stream, frame, table, index);
}

}  // namespace

RawTrainFrame make_raw_frame(image::Frame frame, image::LabelImage labels, const image::Preparation& preparation) {
  image::check_frame(frame, preparation);
  RawTrainFrame raw;
  raw.rows = static_cast<std::int32_t>(frame.rows());
  raw.cols = static_cast<std::int32_t>(frame.cols());
  raw.camera = image::camera_of(frame, preparation);
  raw.up = frame.up;
  raw.labels = std::move(labels);
  if (preparation.channels.needs_depth()) {
    const bool fills = image::fills_depth(preparation);
    raw.depth_mm = fills ? image::filled_depth(frame, preparation.depth_filling) : std::move(frame.depth_mm);
    raw.depth_complete = image::is_depth_complete(raw.depth_mm, false);
    for (const std::uint16_t depth : raw.depth_mm)
      if (image::is_known_depth(depth)) raw.highest_depth_mm = std::max<std::int32_t>(raw.highest_depth_mm, depth);
  }
  if (!preparation.supplied_maps.empty()) raw.maps = std::move(frame.maps);
  if (preparation.needs_color()) raw.color = std::move(frame.color);  // after depth, whose filling reads it
  return raw;
}

FrameCache::FrameCache(RawFrames& frames, const image::Preparation& preparation, FrameSlot slot,
                       std::size_t memory_bytes, ThreadPool& pool, int gpu)
    : frames_(frames), channels_(preparation.channels), pool_(pool), gpu_(gpu), slot_(slot) {
  for (std::size_t i = 0; i < kLoaders; ++i) loaders_.push_back(std::make_unique<Loader>(preparation));
  const std::size_t slot_bytes = slot_.num_sums * sizeof(std::uint32_t) + slot_.num_map_values * sizeof(std::int16_t);
  const std::size_t room = memory_bytes / std::max<std::size_t>(1, slot_bytes);
  FW_CHECK(room >= 2, Resource,
           "the GPU has room for " << room << " prepared frames of " << format_bytes(slot_bytes)
                                   << ", training needs 2 at least; raise " << named_option("gpu-memory") << " or use "
                                   << named_option("device", "cpu"));
  policy_ = LruCache(std::min(room, frames.num_frames()));
  planes_.resize(policy_.num_slots() * slot_.num_sums);
  map_values_.resize(policy_.num_slots() * slot_.num_map_values);
  table_.resize(frames.num_frames());
}

void FrameCache::Staging::upload(const RawTrainFrame& raw, const cuda::Stream& copies) {
  prepared.wait_event(copies);  // the previous frame
  color.upload({raw.color.data(), raw.color.size()}, copies);
  depth_mm.upload({raw.depth_mm.data(), raw.depth_mm.size()}, copies);
  context.upload(raw.context, copies);
  maps.upload(raw.maps.values, copies);
  copied.record(copies);
}

void FrameCache::bring_one(std::uint32_t index, std::size_t slot, const RawTrainFrame& raw, Loader& loader) {
  Staging& staging = loader.ring[loader.next++ % loader.ring.size()];
  const std::lock_guard own_staging(staging.mutex);
  staging.upload(raw, loader.copies);
  const std::lock_guard own_preparer(loader.mutex);
  staging.copied.wait_event(loader.work);
  prepare(index, slot, raw, staging, loader);
  staging.prepared.record(loader.work);
  uploaded_bytes_ += raw.pixel_bytes();
}

void FrameCache::prepare(std::uint32_t index, std::size_t slot, const RawTrainFrame& raw, const Staging& pixels,
                         Loader& loader) {
  const image::RawFrame frame = {.color = raw.color.empty() ? nullptr : pixels.color.data(),
                                 .depth_mm = raw.depth_mm.empty() ? nullptr : pixels.depth_mm.data(),
                                 .rows = raw.rows,
                                 .cols = raw.cols,
                                 .camera = raw.camera,
                                 .up = raw.up,
                                 .maps = raw.maps.empty() ? nullptr : pixels.maps.data(),
                                 .map_rows = static_cast<std::int32_t>(raw.maps.rows),
                                 .map_cols = static_cast<std::int32_t>(raw.maps.cols),
                                 .depth_complete = raw.depth_complete};
  std::uint32_t* planes = planes_.data() + slot * slot_.num_sums;
  std::int16_t* map_values = map_values_.data() + slot * slot_.num_map_values;
  TrainFrame entry = {loader.preparer.prepare(frame, planes, map_values, loader.work), {}};
  if (!raw.context.empty()) {
    const auto first = static_cast<std::size_t>(channels_.context_channel());
    image::context_planes({.layout = entry.view,
                           .maps = pixels.context.data(),
                           .planes = planes + first * static_cast<std::size_t>(entry.view.plane_size),
                           .num_classes = channels_.num_context()},
                          loader.work);
  }
  std::int32_t next = channels_.num_channels() + 1;  // after the plane of counts
  for (std::int32_t c = 0; c < channels_.num_channels(); ++c) {
    if (entry.view.count_plane[c] < 0) continue;
    const bool is_depth = c == entry.view.depth_channel;
    const std::int32_t least = is_depth ? 0 : channels_.least(c);
    const std::int32_t range = is_depth ? raw.highest_depth_mm : channels_.greatest(c) - least;
    entry.most_packed_pixels = std::min(entry.most_packed_pixels, most_packed_pixels(range));
    entry.packed[c] = {static_cast<std::int16_t>(next++), static_cast<std::int16_t>(least)};
    pack_plane(entry, c, planes, loader.work);
  }
  write_table(entry, table_.data(), index, loader.work);
}

void FrameCache::bring(const std::vector<std::uint32_t>& missing, const std::vector<std::size_t>& slots) {
  pool_.for_each(missing.size(), [&](std::size_t i, int) {
    frames_.visit_one(missing[i], [&](const RawTrainFrame& raw) {
      cuda::use_gpu(gpu_);
      bring_one(missing[i], slots[i], raw, *loaders_[i % loaders_.size()]);
    });
  });
}

void FrameCache::bring_batch(std::span<const std::uint32_t> indices) {
  std::vector<std::uint32_t> missing;
  std::vector<std::size_t> slots;
  // Loaded frames are used first, so that loading does not evict one of them.
  for (const std::uint32_t index : indices)
    if (policy_.holds(index)) policy_.use(index);
  for (const std::uint32_t index : indices) {
    if (policy_.holds(index)) continue;
    missing.push_back(index);
    slots.push_back(policy_.use(index));
  }
  bring(missing, slots);
}

void FrameCache::forget() {
  for (const auto& loader : loaders_) loader->work.synchronize();
  policy_.clear();
}

void FrameCache::visit(const std::vector<std::uint32_t>& indices, const cuda::Stream& stream, const Work& work) {
  const std::size_t num_slots = policy_.num_slots();
  const std::size_t size = num_slots >= indices.size() ? std::max<std::size_t>(1, indices.size())
                                                       : std::max<std::size_t>(1, num_slots / kBatches);
  const std::size_t num_batches = (indices.size() + size - 1) / size;
  for (std::size_t i = 0; i < num_batches; ++i) {
    const std::size_t begin = (forth_ ? i : num_batches - 1 - i) * size, end = std::min(begin + size, indices.size());
    // The slots of this batch were last used by the batch before the previous one.
    if (i >= 2)
      for (const auto& loader : loaders_) worked_[i % 2].wait_event(loader->work);
    bring_batch({indices.data() + begin, end - begin});
    for (const auto& loader : loaders_) {
      loader->done.record(loader->work);
      loader->done.wait_event(stream);
    }
    work(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
    worked_[i % 2].record(stream);
  }
  // The next visit may use any slot except those of its own first batches.
  for (const auto& loader : loaders_) worked_[(num_batches + 1) % 2].wait_event(loader->work);
  forth_ = !forth_;
}

}  // namespace fernwood::train
