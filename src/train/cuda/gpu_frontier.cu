// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Partition of the samples: those of closed nodes are dropped (a prefix sum computes the positions of the others), then
// a stable sort by node gives node order.

#include "train/cuda/gpu_frontier.h"

#include <thrust/binary_search.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "core/cuda/thrust.cuh"

namespace fernwood::train {

namespace {

/// Node of a sample at the next level, from its current node and its position in node order.
struct NewNode {
  const std::uint32_t* node_of_side;
  const std::uint8_t* sides;
  __device__ std::uint32_t operator()(std::uint32_t node, std::uint32_t row) const {
    return node_of_side[2 * node + sides[row]];
  }
};

struct IsKept {
  __device__ std::uint32_t operator()(std::uint32_t new_node) const { return new_node != kNoNode ? 1 : 0; }
};

struct ClassInNode {
  const std::uint16_t* class_in_node;
  std::uint32_t num_classes;
  bool pairs;
  __device__ std::uint16_t operator()(std::uint32_t node, std::uint16_t label) const {
    const std::uint16_t* of_node = class_in_node + static_cast<std::size_t>(node) * num_classes;
    return label_in_node(label, pairs, [&](std::uint32_t row) { return of_node[row]; });
  }
};

/// The sides of 32 samples in frame order; 0 in nodes that are not requested.
struct PackedSides {
  const std::uint8_t *asked, *sides;
  const std::uint32_t *node_of, *rows;
  std::uint32_t num_samples;
  __device__ std::uint32_t operator()(std::uint32_t word) const {
    std::uint32_t bits = 0;
    for (std::uint32_t s = 32 * word; s < min(32 * word + 32, num_samples); ++s)
      if (asked[node_of[s]] != 0 && sides[rows[s]] != 0) bits |= 1u << s % 32;
    return bits;
  }
};

struct SideOf {
  const std::uint32_t* words;
  __device__ std::uint8_t operator()(std::uint32_t sample) const {
    return static_cast<std::uint8_t>(side_bit(words, sample));
  }
};

}  // namespace

void GpuFrontier::reserve(std::size_t size, std::size_t num_frames) {
  for (int i : {0, 1}) {
    sites_[i].resize(size);
    frame_of_[i].resize(size);
    labels_[i].resize(size);
  }
  for (auto* buffer : {&new_nodes_, &node_of_, &places_, &rows_, &frame_order_, &sorted_nodes_, &indices_})
    buffer->resize(size);
  node_classes_.resize(size);
  sides_.resize(size);
  packed_sides_.resize(num_side_words(size));
  frame_starts_.resize(num_frames + 1);
}

void GpuFrontier::start(const SampleSet& samples, std::size_t most_nodes, std::size_t num_classes,
                        const cuda::Stream& stream) {
  reserve(samples.size(), samples.frames.size());
  node_of_side_.reserve(2 * most_nodes);
  class_in_node_.reserve(most_nodes * num_classes);
  now_ = 0;
  numbered_ = false;
  size_ = samples.size();
  num_frames_ = samples.frames.size();
  cuda::upload(samples.sites, sites_[0], stream);
  cuda::upload(samples.labels, labels_[0], stream);
  cuda::upload(samples.frame_starts, frame_starts_, stream);
  cuda::with_thrust("numbering samples", stream, scratch_, [&](const auto& on) {
    const thrust::counting_iterator<std::uint32_t> zero(0);
    thrust::upper_bound(on, frame_starts_.data() + 1, frame_starts_.data() + frame_starts_.size(), zero, zero + size_,
                        frame_of_[0].data());
    thrust::sequence(on, indices_.data(), indices_.data() + size_);
  });
}

void GpuFrontier::assign(const std::vector<std::uint32_t>& node_of, const OpenNodes& nodes,
                         const cuda::Stream& stream) {
  cuda::upload(node_of, new_nodes_, stream);
  drop_and_sort(nodes, stream);
}

void GpuFrontier::assign_all(const OpenNodes& root, const cuda::Stream& stream) {
  cuda::fill_with_zeros(View1<std::uint32_t>{new_nodes_.data(), size_}, stream);
  drop_and_sort(root, stream);
}

void GpuFrontier::descend(const std::vector<std::uint32_t>& node_of_side, const OpenNodes& nodes,
                          const cuda::Stream& stream) {
  node_of_side_.upload(node_of_side, stream);
  cuda::with_thrust("finding new nodes", stream, scratch_, [&](const auto& on) {
    thrust::transform(on, node_of_.data(), node_of_.data() + size_, rows_.data(), new_nodes_.data(),
                      NewNode{node_of_side_.data(), sides_.data()});
  });
  drop_and_sort(nodes, stream);
}

/// Moves the remaining samples to the positions computed by the prefix sum. The host knows their number; copy_if()
/// would count them again, and wait for the result.
void GpuFrontier::drop_closed(const cuda::Stream& stream) {
  const std::uint32_t *begin = new_nodes_.data(), *end = begin + size_;
  const int next = 1 - now_;
  cuda::with_thrust("dropping samples", stream, scratch_, [&](const auto& on) {
    thrust::transform_exclusive_scan(on, begin, end, places_.data(), IsKept{}, 0u, thrust::plus<std::uint32_t>());
    const auto columns = [](auto... column) { return thrust::make_zip_iterator(thrust::make_tuple(column...)); };
    const auto from = columns(sites_[now_].data(), frame_of_[now_].data(), labels_[now_].data(), begin);
    const auto to = columns(sites_[next].data(), frame_of_[next].data(), labels_[next].data(), node_of_.data());
    thrust::scatter_if(on, from, from + static_cast<std::ptrdiff_t>(size_), places_.data(), begin, to, IsKept{});
    if (numbered_) {
      const std::uint32_t* const numbers = numbers_[now_].data();
      thrust::scatter_if(on, numbers, numbers + size_, places_.data(), begin, numbers_[next].data(), IsKept{});
    }
  });
  now_ = next;
}

/// Uses CUB, which sorts by the significant bits of node numbers; Thrust sorts by all 32, in four passes instead of one
/// or two.
void GpuFrontier::sort_by_node(const cuda::Stream& stream, std::size_t num_nodes) {
  const int num_bits = std::max(1, static_cast<int>(std::bit_width(num_nodes - 1)));
  const auto sort = [&](void* memory, std::size_t& size_bytes, int end_bit) {
    cuda::check(
        cub::DeviceRadixSort::SortPairs(memory, size_bytes, node_of_.data(), sorted_nodes_.data(), indices_.data(),
                                        frame_order_.data(), static_cast<std::int32_t>(size_), 0, end_bit, stream),
        "sorting samples");
  };
  std::size_t size_bytes = 0;
  sort(nullptr, size_bytes, 32);  // the maximum over all levels for this number of samples
  char* const memory = scratch_.allocate(static_cast<std::ptrdiff_t>(size_bytes));
  sort(memory, size_bytes, num_bits);
  scratch_.deallocate(memory, size_bytes);
}

void GpuFrontier::drop_and_sort(const OpenNodes& nodes, const cuda::Stream& stream) {
  if (nodes.num_samples() < size_)
    drop_closed(stream);
  else
    std::swap(node_of_, new_nodes_);  // no sample moves
  size_ = nodes.num_samples();
  sort_by_node(stream, nodes.size());
  class_in_node_.upload({nodes.class_in_node.data(), nodes.class_in_node.size()}, stream);
  const std::uint32_t* order = frame_order_.data();
  cuda::with_thrust("ordering samples", stream, scratch_, [&](const auto& on) {
    const thrust::counting_iterator<std::uint32_t> zero(0);
    thrust::scatter(on, zero, zero + size_, order, rows_.data());
    thrust::transform(
        on, sorted_nodes_.data(), sorted_nodes_.data() + size_,
        thrust::make_permutation_iterator(labels_[now_].data(), order), node_classes_.data(),
        ClassInNode{class_in_node_.data(), static_cast<std::uint32_t>(nodes.class_in_node.cols()), nodes.pairs});
    const std::uint32_t* frame_of = frame_of_[now_].data();
    thrust::lower_bound(on, frame_of, frame_of + size_, zero, zero + frame_starts_.size(), frame_starts_.data());
  });
  if (numbered_) order_numbers(stream);
}

void GpuFrontier::number_samples(const cuda::Stream& stream) {
  for (int i : {0, 1}) numbers_[i].resize(frame_order_.size());
  ordered_numbers_.resize(frame_order_.size());
  numbered_ = true;
  cuda::with_thrust("numbering samples", stream, scratch_, [&](const auto& on) {
    thrust::sequence(on, numbers_[now_].data(), numbers_[now_].data() + size_);
  });
  order_numbers(stream);
}

void GpuFrontier::order_numbers(const cuda::Stream& stream) {
  cuda::with_thrust("ordering numbers", stream, scratch_, [&](const auto& on) {
    thrust::gather(on, frame_order_.data(), frame_order_.data() + size_, numbers_[now_].data(),
                   ordered_numbers_.data());
  });
}

void GpuFrontier::pack_sides(const std::vector<std::uint8_t>& asked, const cuda::Stream& stream) {
  asked_.upload(asked, stream);
  const PackedSides packed{asked_.data(), sides_.data(), node_of_.data(), rows_.data(),
                           static_cast<std::uint32_t>(size_)};
  cuda::with_thrust("packing sides", stream, scratch_, [&](const auto& on) {
    const thrust::counting_iterator<std::uint32_t> zero(0);
    thrust::transform(on, zero, zero + num_side_words(size_), packed_sides_.data(), packed);
  });
}

void GpuFrontier::unpack_sides(const std::vector<std::uint32_t>& packed, const cuda::Stream& stream) {
  told_sides_.upload(packed, stream);
  cuda::with_thrust("unpacking sides", stream, scratch_, [&](const auto& on) {
    thrust::transform(on, frame_order_.data(), frame_order_.data() + size_, sides_.data(), SideOf{told_sides_.data()});
  });
}

}  // namespace fernwood::train
