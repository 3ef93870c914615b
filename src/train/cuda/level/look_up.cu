// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Lookups by samples whose neighbours have no feature in common, through the L1 cache: responses to the candidates of
// each node and to threshold samples, where lanes are features of a sample; and the descent of a tree, where threads
// are samples of one frame, which are neighbours in the image and share much of their path.

#include <algorithm>
#include <bit>

#include "core/cuda/launch.cuh"
#include "train/cuda/level/respond.h"

namespace fernwood::train {

namespace {

constexpr unsigned kThreads = 256, kBlocksPerFrame = 8;

/// Uses `lanes` threads for each sample of the loaded frames: the number of features, rounded up to a power of two, at
/// most a block.
__global__ void respond_per_node_kernel(SampledFrames samples, View2<const forest::RegionFeature> features,
                                        const std::uint32_t* node_of, View2<float> responses, std::uint32_t lanes) {
  const std::uint32_t at_once = kThreads / lanes, end = samples.starts[samples.end];
  for (std::uint32_t s = samples.starts[samples.begin] + blockIdx.x * at_once + threadIdx.x / lanes; s < end;
       s += gridDim.x * at_once) {
    const image::PlanesView& frame = samples.frame_of_sample(s).view;
    const forest::RegionFeature* own = features.row(node_of[s]);
    float* out = responses.row(s);
    for (std::size_t i = threadIdx.x % lanes; i < features.cols; i += lanes)
      out[i] = forest::response(own[i], frame, samples.sites[s]);
  }
}

/// One block for each threshold sample.
__global__ void probe_kernel(ProbeArgs a) {
  const std::uint32_t p = blockIdx.x, s = a.frame_order[a.places[p]], f = a.samples.frame_of[s];
  if (f < a.samples.begin || f >= a.samples.end) return;
  const image::PlanesView& frame = a.samples.frames[a.samples.tree_frames[f]].view;
  const forest::RegionFeature* own = a.features.row(a.sets[p]);
  for (std::size_t i = threadIdx.x; i < a.features.cols; i += blockDim.x)
    a.responses(i, p) = forest::response(own[i], frame, a.samples.sites[s]);
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

void respond_per_node_cuda(const SampledFrames& samples, View2<const forest::RegionFeature> features,
                           const std::uint32_t* node_of, View2<float> responses, const cuda::Stream& stream) {
  const auto lanes = static_cast<std::uint32_t>(std::min<std::size_t>(std::bit_ceil(features.cols), kThreads));
  cuda::launch("feature response per node", respond_per_node_kernel, 8 * cuda::num_multiprocessors(), kThreads, 0,
               stream, samples, features, node_of, responses, lanes);
}

void probe_cuda(const ProbeArgs& args, const cuda::Stream& stream) {
  cuda::launch("probing responses", probe_kernel, static_cast<unsigned>(args.places.size), kThreads, 0, stream, args);
}

void find_leaves_cuda(const SampledFrames& samples, const forest::Node* nodes, std::uint32_t* leaves,
                      const cuda::Stream& stream) {
  cuda::launch("finding leaves", find_leaves_kernel, kBlocksPerFrame * (samples.end - samples.begin), kThreads, 0,
               stream, samples, nodes, leaves);
}

}  // namespace fernwood::train
