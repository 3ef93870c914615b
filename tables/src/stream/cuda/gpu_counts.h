// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>

#include "core/cuda/buffer.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// Counts of slots, as an argument of kernels.
struct CountsView {
  std::uint32_t* counts;      ///< [slot][slot_cells] Cells: [attribute][bin][class], unknown values in the last bin.
  const std::size_t* starts;  ///< [attribute] First cell in a slot.
  const float* edges;         ///< Of the grid.
  const std::uint32_t* edge_starts;  ///< [attribute + 1]
  std::size_t slot_cells;
  std::uint32_t num_classes;

  FW_HD std::uint32_t num_edges(std::size_t attribute) const {
    return edge_starts[attribute + 1] - edge_starts[attribute];
  }
  /// Number of bins of known values.
  FW_HD std::uint32_t num_bins(std::size_t attribute) const { return num_edges(attribute) + 1; }
  FW_HD std::uint32_t* cells_of(std::size_t slot, std::size_t attribute) const {
    return counts + slot * slot_cells + starts[attribute];
  }
  FW_HD Cells cells(std::size_t slot, std::size_t attribute) const {
    const std::uint32_t* const known = cells_of(slot, attribute);
    const std::size_t bins = num_bins(attribute);
    return {known, edges + edge_starts[attribute], bins, known + bins * num_classes, num_classes};
  }
};

/// GridCounts in the memory of a GPU.
class GpuCounts {
 public:
  explicit GpuCounts(int gpu) : gpu_(gpu) {}

  void reset(const CountLayout& layout, std::size_t num_slots, const cuda::Stream& stream);
  /// @throws Error(kResource) when the GPU lacks the memory.
  void resize(std::size_t num_slots, const cuda::Stream& stream);
  /// Takes effect at the next view().
  void clear(std::span<const std::size_t> slots) { cleared_.insert(cleared_.end(), slots.begin(), slots.end()); }
  void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes, const cuda::Stream& stream);
  std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes, std::size_t at,
                  const cuda::Stream& stream);

  CountsView view(const cuda::Stream& stream);
  const CountLayout& layout() const { return layout_; }
  std::size_t num_slots() const { return num_slots_; }
  std::size_t slot_cells() const { return starts_.back(); }
  /// Largest number of bins of an attribute, without that of unknown values.
  std::size_t most_bins(AttributeRange attributes) const;
  /// Approximate memory for slots: the GPU's share for them, or what they have already.
  std::size_t free_bytes() const;

 private:
  /// Calls body(slots on the GPU, their cells of the attributes there, their number) for parts of the slots, to limit
  /// the memory needed.
  template <typename Body>
  void move(std::span<const std::size_t> slots, AttributeRange attributes, const cuda::Stream& stream,
            const Body& body);
  std::size_t num_cells(AttributeRange attributes) const { return starts_[attributes.end] - starts_[attributes.begin]; }

  int gpu_;
  CountLayout layout_;
  std::size_t num_slots_ = 0;
  std::vector<std::size_t> starts_ = {0};
  cuda::GpuBuffer<std::size_t> gpu_starts_;
  cuda::GpuBuffer<float> edges_;
  cuda::GpuBuffer<std::uint32_t> edge_starts_;
  cuda::GpuBuffer<std::uint32_t> counts_;
  cuda::UploadedBuffer<std::uint32_t> slots_;
  cuda::GpuBuffer<std::uint32_t> moved_;
  std::vector<std::uint32_t> cleared_;
};

/// @throws Error(kResource) unless a GPU has this much memory free. @param what  The purpose. @param remedy  Advice in
/// addition to --device cpu.
void check_free_memory(int gpu, std::size_t size_bytes, const char* what, const OptionSentence& remedy);

}  // namespace fernwood::stream
