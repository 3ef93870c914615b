// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The partition of the samples: those of closed nodes are dropped (a prefix sum gives the places of the others), then a
// stable sort by node gives node order. A thread for each sample in all kernels here.

#include "train/cuda/gpu_frontier.h"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "core/cuda/launch.cuh"

namespace fernwood::train {

namespace {

constexpr unsigned kThreads = 256;

__device__ std::size_t thread_index() { return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

/// Node of each sample at the next level, and whether it stays.
__global__ void find_new_nodes_kernel(View1<const std::uint32_t> node_of, const std::uint32_t* rows,
                                      const std::uint8_t* sides, const std::uint32_t* node_of_side,
                                      std::uint32_t* new_nodes) {
  const std::size_t s = thread_index();
  if (s < node_of.size) new_nodes[s] = node_of_side[2 * node_of[s] + sides[rows[s]]];
}

__global__ void mark_kept_kernel(View1<const std::uint32_t> new_nodes, std::uint32_t* places) {
  const std::size_t s = thread_index();
  if (s < new_nodes.size) places[s] = new_nodes[s] != kNoNode ? 1 : 0;
}

struct Columns {
  forest::PixelSite* sites;
  std::uint32_t* frame_of;
  std::uint16_t* labels;
};

/// Moves the samples that stay to their places.
__global__ void move_kept_kernel(View1<const std::uint32_t> new_nodes, const std::uint32_t* places, Columns from,
                                 Columns to, std::uint32_t* node_of, std::uint32_t* indices) {
  const std::size_t s = thread_index();
  if (s >= new_nodes.size || new_nodes[s] == kNoNode) return;
  const std::uint32_t place = places[s];
  to.sites[place] = from.sites[s];
  to.frame_of[place] = from.frame_of[s];
  to.labels[place] = from.labels[s];
  node_of[place] = new_nodes[s];
  indices[place] = place;
}

/// Rows and classes within nodes, from the order by node.
__global__ void note_order_kernel(View1<const std::uint32_t> frame_order, const std::uint32_t* row_nodes,
                                  const std::uint16_t* labels, const std::uint16_t* class_in_node,
                                  std::uint32_t num_classes, std::uint32_t* rows, std::uint16_t* node_classes) {
  const std::size_t row = thread_index();
  if (row >= frame_order.size) return;
  const std::uint32_t s = frame_order[row];
  rows[s] = static_cast<std::uint32_t>(row);
  node_classes[row] = class_in_node[static_cast<std::size_t>(row_nodes[row]) * num_classes + labels[s]];
}

/// First sample of each frame: a thread for each frame.
__global__ void find_frames_kernel(View1<const std::uint32_t> frame_of, View1<std::uint32_t> frame_starts) {
  const std::size_t f = thread_index();
  if (f >= frame_starts.size) return;
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(frame_of.size);
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (frame_of[middle] < f)
      low = middle + 1;
    else
      high = middle;
  }
  frame_starts[f] = low;
}

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
  frame_starts_.resize(num_frames + 1);
  std::size_t scan_bytes = 0, sort_bytes = 0;
  const auto count = static_cast<std::int32_t>(size);
  cuda::check(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, places_.data(), places_.data(), count),
              "planning a sum");
  cuda::check(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, node_of_.data(), sorted_nodes_.data(),
                                              indices_.data(), frame_order_.data(), count),
              "planning a sort");
  scratch_.resize(std::max(scan_bytes, sort_bytes));
}

void GpuFrontier::start(const SampleSet& samples, std::size_t most_nodes, std::size_t num_classes,
                        const cuda::Stream& stream) {
  reserve(samples.size(), samples.frames.size());
  node_of_side_.resize(2 * most_nodes);
  class_in_node_.resize(most_nodes * num_classes);
  now_ = 0;
  size_ = samples.size();
  num_frames_ = samples.frames.size();
  std::vector<std::uint32_t> frame_of;
  for (std::uint32_t f = 0; f < samples.frames.size(); ++f) frame_of.resize(samples.frame_starts[f + 1], f);
  cuda::copy_to_gpu(samples.sites.data(), size_, sites_[0].data(), stream);
  cuda::copy_to_gpu(samples.labels.data(), size_, labels_[0].data(), stream);
  cuda::copy_to_gpu(frame_of.data(), size_, frame_of_[0].data(), stream);
  stream.synchronize();
}

void GpuFrontier::assign(const std::vector<std::uint32_t>& node_of, const OpenNodes& nodes,
                         const cuda::Stream& stream) {
  cuda::copy_to_gpu(node_of.data(), size_, new_nodes_.data(), stream);
  drop_and_sort(nodes, stream);
}

void GpuFrontier::descend(const std::vector<std::uint32_t>& node_of_side, const OpenNodes& nodes,
                          const cuda::Stream& stream) {
  cuda::upload(node_of_side, node_of_side_, stream);
  cuda::launch("finding new nodes", find_new_nodes_kernel, cuda::blocks_for(size_, kThreads), kThreads, 0, stream,
               node_of(), static_cast<const std::uint32_t*>(rows_.data()),
               static_cast<const std::uint8_t*>(sides_.data()), static_cast<const std::uint32_t*>(node_of_side_.data()),
               new_nodes_.data());
  drop_and_sort(nodes, stream);
}

void GpuFrontier::drop_and_sort(const OpenNodes& nodes, const cuda::Stream& stream) {
  const View1<const std::uint32_t> new_nodes = {new_nodes_.data(), size_};
  std::size_t scratch_bytes = scratch_.size();
  cuda::launch("marking samples", mark_kept_kernel, cuda::blocks_for(size_, kThreads), kThreads, 0, stream, new_nodes,
               places_.data());
  cuda::check(cub::DeviceScan::ExclusiveSum(scratch_.data(), scratch_bytes, places_.data(), places_.data(),
                                            static_cast<std::int32_t>(size_), stream),
              "summing up places");
  const int next = 1 - now_;
  cuda::launch("moving samples", move_kept_kernel, cuda::blocks_for(size_, kThreads), kThreads, 0, stream, new_nodes,
               static_cast<const std::uint32_t*>(places_.data()),
               Columns{sites_[now_].data(), frame_of_[now_].data(), labels_[now_].data()},
               Columns{sites_[next].data(), frame_of_[next].data(), labels_[next].data()}, node_of_.data(),
               indices_.data());
  now_ = next;
  size_ = nodes.num_samples();
  if (size_ > 0) {
    scratch_bytes = scratch_.size();
    cuda::check(
        cub::DeviceRadixSort::SortPairs(scratch_.data(), scratch_bytes, node_of_.data(), sorted_nodes_.data(),
                                        indices_.data(), frame_order_.data(), static_cast<std::int32_t>(size_), 0,
                                        std::max(1, static_cast<int>(std::bit_width(nodes.size() - 1))), stream),
        "sorting samples");
  }
  class_in_node_.resize(nodes.class_in_node.size());
  cuda::copy_to_gpu(nodes.class_in_node.data(), nodes.class_in_node.size(), class_in_node_.data(), stream);
  cuda::launch("ordering samples", note_order_kernel, cuda::blocks_for(size_, kThreads), kThreads, 0, stream,
               frame_order(), static_cast<const std::uint32_t*>(sorted_nodes_.data()),
               static_cast<const std::uint16_t*>(labels_[now_].data()),
               static_cast<const std::uint16_t*>(class_in_node_.data()),
               static_cast<std::uint32_t>(nodes.class_in_node.cols()), rows_.data(), node_classes_.data());
  cuda::launch("finding frames", find_frames_kernel, cuda::blocks_for(num_frames_ + 1, kThreads), kThreads, 0, stream,
               frame_of(), frame_starts_.view());
}

}  // namespace fernwood::train
