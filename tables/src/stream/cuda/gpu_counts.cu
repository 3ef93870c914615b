// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Clears counts, or moves them to other processes: one block for each slot, whose threads stride over the slot's cells.
#include "stream/cuda/gpu_counts.h"

#include <algorithm>

#include "core/cuda/launch.cuh"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kMovedBytes = 64u << 20;  // in transit to or from other processes at a time
constexpr std::size_t kMinBytes = 16u << 20;    // of counts, so that a tree's first levels allocate once

struct MoveArgs {
  std::uint32_t* counts;
  std::size_t slot_cells;
  std::size_t first, num_cells;  // of each slot
  const std::uint32_t* slots;
  std::uint32_t* moved;  // [slots][num_cells]
};

__global__ void clear_slots_kernel(MoveArgs a) {
  std::uint32_t* const counts = a.counts + a.slots[blockIdx.x] * a.slot_cells;
  for (std::size_t i = threadIdx.x; i < a.num_cells; i += blockDim.x) counts[i] = 0;
}

__global__ void take_kernel(MoveArgs a) {
  std::uint32_t* const counts = a.counts + a.slots[blockIdx.x] * a.slot_cells + a.first;
  for (std::size_t i = threadIdx.x; i < a.num_cells; i += blockDim.x) {
    a.moved[blockIdx.x * a.num_cells + i] = counts[i];
    counts[i] = 0;
  }
}

__global__ void add_kernel(MoveArgs a) {
  std::uint32_t* const counts = a.counts + a.slots[blockIdx.x] * a.slot_cells + a.first;
  for (std::size_t i = threadIdx.x; i < a.num_cells; i += blockDim.x)
    counts[i] += a.moved[blockIdx.x * a.num_cells + i];
}

}  // namespace

void check_free_memory(int gpu, std::size_t size_bytes, const char* what, const OptionSentence& remedy) {
  const std::size_t free_bytes = gpu_memory(gpu).free_bytes;
  FW_CHECK(size_bytes <= free_bytes, Resource,
           what << " take " << format_bytes(size_bytes) << ", and " << to_string(Device{gpu}) << " has "
                << format_bytes(free_bytes) << " free; " << remedy << ", or use " << named_option("device", "cpu"));
}

void GpuCounts::reset(const CountLayout& layout, std::size_t num_slots, const cuda::Stream& stream) {
  layout_ = layout;
  starts_ = cell_starts(layout);
  cuda::upload(starts_, gpu_starts_, stream);
  cuda::upload(layout_.grid.edges, edges_, stream);
  cuda::upload(layout_.grid.starts, edge_starts_, stream);
  num_slots_ = 0;
  cleared_.clear();
  resize(num_slots, stream);
}

void GpuCounts::resize(std::size_t num_slots, const cuda::Stream& stream) {
  const std::size_t old_size = std::min(num_slots, num_slots_) * slot_cells(), size = num_slots * slot_cells();
  std::erase_if(cleared_, [&](std::uint32_t slot) { return slot >= num_slots; });
  num_slots_ = num_slots;
  if (size > counts_.size()) {
    const std::size_t least_bytes = size * sizeof(std::uint32_t);
    check_free_memory(gpu_, least_bytes, "counts of the open leaves",
                      "lower " + named_option("bins") + ", " + named_option("max-leaves") + " or, with " +
                          named_option("schedule", "passes") + ", " + named_option("memory-budget"));
    const std::size_t good_bytes =
        std::clamp(2 * counts_.size_bytes(), least_bytes, std::max(least_bytes, free_bytes()));
    cuda::GpuBuffer<std::uint32_t> counts(std::max(good_bytes, kMinBytes) / sizeof(std::uint32_t));
    if (old_size > 0)
      cuda::check(cudaMemcpyAsync(counts.data(), counts_.data(), old_size * sizeof(std::uint32_t),
                                  cudaMemcpyDeviceToDevice, stream),
                  "moving counts");
    stream.synchronize();
    counts_ = std::move(counts);
  }
  cuda::fill_with_zeros(View1<std::uint32_t>{counts_.data() + old_size, size - old_size}, stream);
}

std::size_t GpuCounts::most_bins(AttributeRange attributes) const {
  std::size_t most = 0;
  for (std::size_t a = attributes.begin; a < attributes.end; ++a) most = std::max(most, layout_.grid.num_bins(a));
  return most;
}

std::size_t GpuCounts::free_bytes() const {
  return std::max(counts_.size_bytes(), memory_limit(0, kSlotsShare, Device{gpu_}));
}

CountsView GpuCounts::view(const cuda::Stream& stream) {
  if (!cleared_.empty()) {
    slots_.upload(cleared_, stream);
    cuda::launch("clearing slots", clear_slots_kernel, static_cast<unsigned>(cleared_.size()), kThreads, 0, stream,
                 MoveArgs{counts_.data(), slot_cells(), 0, slot_cells(), slots_.data(), nullptr});
    cleared_.clear();
  }
  return {counts_.data(),      gpu_starts_.data(), edges_.data(),
          edge_starts_.data(), slot_cells(),       static_cast<std::uint32_t>(layout_.num_classes)};
}

template <typename Body>
void GpuCounts::move(std::span<const std::size_t> slots, AttributeRange attributes, const cuda::Stream& stream,
                     const Body& body) {
  if (num_cells(attributes) == 0) return;
  const std::size_t slot_bytes = num_cells(attributes) * sizeof(std::uint32_t);
  const std::size_t at_once = std::max<std::size_t>(1, kMovedBytes / slot_bytes);
  for (std::size_t begin = 0; begin < slots.size(); begin += at_once) {
    const auto part = slots.subspan(begin, std::min(at_once, slots.size() - begin));
    std::uint32_t* const counts = view(stream).counts;  // before slots_ is written: clearing reads it
    slots_.upload(std::vector<std::uint32_t>(part.begin(), part.end()), stream);
    moved_.resize(part.size() * num_cells(attributes));
    body(MoveArgs{counts, slot_cells(), starts_[attributes.begin], num_cells(attributes), slots_.data(), moved_.data()},
         static_cast<unsigned>(part.size()));
    stream.synchronize();
  }
}

void GpuCounts::take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes,
                     const cuda::Stream& stream) {
  std::size_t at = bytes.size();
  bytes.resize(at + slots.size() * num_cells(attributes) * sizeof(std::uint32_t));
  move(slots, attributes, stream, [&](const MoveArgs& args, unsigned num_slots) {
    cuda::launch("taking counts", take_kernel, num_slots, kThreads, 0, stream, args);
    cuda::copy_to_host(reinterpret_cast<const std::uint8_t*>(moved_.data()), moved_.size_bytes(), bytes.data() + at,
                       stream);
    at += moved_.size_bytes();
  });
}

std::size_t GpuCounts::add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                           std::size_t at, const cuda::Stream& stream) {
  check_counts(bytes, at, slots.size() * num_cells(attributes) * sizeof(std::uint32_t));
  move(slots, attributes, stream, [&](const MoveArgs& args, unsigned num_slots) {
    cuda::copy_to_gpu(bytes.data() + at, moved_.size_bytes(), reinterpret_cast<std::uint8_t*>(moved_.data()), stream);
    cuda::launch("adding counts", add_kernel, num_slots, kThreads, 0, stream, args);
    at += moved_.size_bytes();
  });
  return at;
}

}  // namespace fernwood::stream
