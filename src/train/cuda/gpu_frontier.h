// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "train/grow/growing_tree.h"

namespace fernwood::train {

/// Samples of the open nodes in GPU memory, in two orders as in Frontier: by frame for stage 1, by node for stages 2
/// and 3. All memory is allocated when a tree starts.
class GpuFrontier {
 public:
  /// Stores all samples of a tree; they do not belong to a node yet.
  /// @param most_nodes  Maximum number of nodes of any level.
  void start(const SampleSet& samples, std::size_t most_nodes, std::size_t num_classes, const cuda::Stream& stream);

  /// Moves the samples to open nodes.
  /// @param node_of_side  New node for every current node and side, [nodes * 2]; kNoNode drops the sample.
  void descend(const std::vector<std::uint32_t>& node_of_side, const OpenNodes& nodes, const cuda::Stream& stream);

  /// Assigns samples that do not belong to a node yet to open nodes. @param node_of  [S] frame order; kNoNode drops
  /// them.
  void assign(const std::vector<std::uint32_t>& node_of, const OpenNodes& nodes, const cuda::Stream& stream);

  /// As assign(), if the root is open.
  void assign_all(const OpenNodes& root, const cuda::Stream& stream);

  /// Numbers the samples by their positions in frame order; from then on they keep these numbers.
  void number_samples(const cuda::Stream& stream);

  std::size_t size() const { return size_; }
  View1<const std::uint32_t> numbers() const { return {ordered_numbers_.data(), size_}; }    ///< node order
  View1<const forest::PixelSite> sites() const { return {sites_[now_].data(), size_}; }      ///< frame order
  View1<const std::uint32_t> frame_order() const { return {frame_order_.data(), size_}; }    ///< node order
  View1<const std::uint32_t> row_nodes() const { return {sorted_nodes_.data(), size_}; }     ///< node order
  View1<const std::uint32_t> node_of() const { return {node_of_.data(), size_}; }            ///< frame order
  View1<const std::uint16_t> node_classes() const { return {node_classes_.data(), size_}; }  ///< node order
  View1<const std::uint32_t> frame_of() const {
    return {frame_of_[now_].data(), size_};
  }  ///< frame order: index into the tree's frames
  View1<const std::uint32_t> frame_starts() const { return {frame_starts_.data(), frame_starts_.size()}; }
  std::uint8_t* sides() { return sides_.data(); }  ///< [S] node order
  const std::uint32_t* packed_sides() const { return packed_sides_.data(); }

  /// Packs sides into bits in frame order, see LevelBackend::partition_bits(). @param asked  [N]
  void pack_sides(const std::vector<std::uint8_t>& asked, const cuda::Stream& stream);
  /// Unpacks the sides of all samples.
  void unpack_sides(const std::vector<std::uint32_t>& packed, const cuda::Stream& stream);

 private:
  void reserve(std::size_t size, std::size_t num_frames);
  void drop_and_sort(const OpenNodes& nodes, const cuda::Stream& stream);
  void drop_closed(const cuda::Stream& stream);
  void sort_by_node(const cuda::Stream& stream, std::size_t num_nodes);
  void order_numbers(const cuda::Stream& stream);

  std::size_t size_ = 0, num_frames_ = 0;
  int now_ = 0;  // index of the current buffers of the pairs below; samples are moved from one to the other
  cuda::GpuBuffer<forest::PixelSite> sites_[2];
  cuda::GpuBuffer<std::uint32_t> frame_of_[2];
  cuda::GpuBuffer<std::uint16_t> labels_[2];
  bool numbered_ = false;
  cuda::GpuBuffer<std::uint32_t> numbers_[2], ordered_numbers_;  // see number_samples()
  cuda::GpuBuffer<std::uint32_t> new_nodes_, node_of_, places_, rows_, frame_order_, sorted_nodes_, frame_starts_;
  cuda::GpuBuffer<std::uint32_t> indices_;  // 0, 1, 2 …: the values that are sorted
  cuda::GpuBuffer<std::uint16_t> node_classes_;
  cuda::GpuBuffer<std::uint8_t> sides_;
  cuda::UploadedBuffer<std::uint8_t> asked_;
  cuda::GpuBuffer<std::uint32_t> packed_sides_;
  cuda::UploadedBuffer<std::uint32_t> told_sides_;
  cuda::UploadedBuffer<std::uint32_t> node_of_side_;
  cuda::UploadedBuffer<std::uint16_t> class_in_node_;
  cuda::Scratch scratch_;
};

}  // namespace fernwood::train
