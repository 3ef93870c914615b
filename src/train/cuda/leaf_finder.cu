// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The way of samples down a tree. A block for each frame at hand; its threads stride over the frame's samples, which
// are neighbours in the picture and share much of their way.

#include "train/cuda/leaf_finder.h"

#include "core/cuda/launch.cuh"

namespace fernwood::train {

namespace {

constexpr unsigned kThreads = 256;

/// @param leaves  [S] written
__global__ void find_leaves_kernel(SampledFrames samples, const forest::Node* nodes, std::uint32_t* leaves) {
  const std::uint32_t f = samples.begin + blockIdx.x;
  const image::FrameView& frame = samples.frames[samples.tree_frames[f]].view;
  for (std::uint32_t s = samples.starts[f] + threadIdx.x; s < samples.starts[f + 1]; s += blockDim.x)
    leaves[s] = static_cast<std::uint32_t>(forest::find_leaf(nodes, frame, samples.sites[s]));
}

}  // namespace

std::vector<std::uint32_t> LeafFinder::find(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                            FrameCache& cache, const cuda::Stream& stream) {
  std::vector<std::uint32_t> leaves(samples.size(), 0);
  if (nodes.size() == 1 || leaves.empty()) return leaves;  // no frame need be looked at
  cuda::upload(nodes, nodes_, stream);
  cuda::upload(samples.frames, frames_, stream);
  cuda::upload(samples.frame_starts, frame_starts_, stream);
  cuda::upload(samples.sites, sites_, stream);
  leaves_.resize(leaves.size());
  cache.visit(samples.frames, stream, [&](std::uint32_t begin, std::uint32_t end) {
    const SampledFrames at_hand = {
        cache.table(), frames_.data(), frame_starts_.data(), begin, end, {sites_.data(), sites_.size()}, nullptr};
    cuda::launch("finding leaves", find_leaves_kernel, end - begin, kThreads, 0, stream, at_hand,
                 static_cast<const forest::Node*>(nodes_.data()), leaves_.data());
  });
  cuda::copy_to_host(leaves_.data(), leaves_.size(), leaves.data(), stream);
  stream.synchronize();
  return leaves;
}

}  // namespace fernwood::train
