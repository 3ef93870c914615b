// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Lookups by samples whose neighbours may have no feature in common, through the L1 cache: responses to the split of
// each sample's node, and the descent of a tree. Threads are samples of one frame, which are neighbours in the image
// and share much of their path.

#include "core/cuda/launch.cuh"
#include "train/cuda/level/respond.h"

namespace fernwood::train {

namespace {

constexpr unsigned kThreads = 256, kBlocksPerFrame = 8;

__global__ void respond_to_splits_kernel(SampledFrames samples, const forest::RegionFeature* features,
                                         const std::uint32_t* node_of, View2<float> responses) {
  const std::uint32_t end = samples.starts[samples.end];
  for (std::uint32_t s = samples.starts[samples.begin] + blockIdx.x * kThreads + threadIdx.x; s < end;
       s += gridDim.x * kThreads)
    responses(s, 0) = forest::response(features[node_of[s]], samples.frame_of_sample(s).view, samples.sites[s]);
}

/// Uses kBlocksPerFrame blocks for each loaded frame: paths are long, and with fewer blocks a few frames would leave
/// multiprocessors idle.
__global__ void find_leaves_kernel(SampledFrames samples, const forest::Node* nodes, std::uint32_t* leaves) {
  const std::uint32_t f = samples.begin + blockIdx.x / kBlocksPerFrame, part = blockIdx.x % kBlocksPerFrame;
  const image::PlanesView& frame = samples.frames[samples.tree_frames[f]].view;
  for (std::uint32_t s = samples.starts[f] + part * kThreads + threadIdx.x; s < samples.starts[f + 1];
       s += kBlocksPerFrame * kThreads)
    leaves[s] = static_cast<std::uint32_t>(forest::find_leaf(nodes, frame, samples.sites[s]));
}

}  // namespace

void respond_to_splits_cuda(const SampledFrames& samples, const forest::RegionFeature* features,
                            const std::uint32_t* node_of, View2<float> responses, const cuda::Stream& stream) {
  cuda::launch("feature response of splits", respond_to_splits_kernel, 8 * cuda::num_multiprocessors(), kThreads, 0,
               stream, samples, features, node_of, responses);
}

void find_leaves_cuda(const SampledFrames& samples, const forest::Node* nodes, std::uint32_t* leaves,
                      const cuda::Stream& stream) {
  cuda::launch("finding leaves", find_leaves_kernel, kBlocksPerFrame * (samples.end - samples.begin), kThreads, 0,
               stream, samples, nodes, leaves);
}

}  // namespace fernwood::train
