// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Responses that have no feature in common with their neighbours, read through the first-level cache: candidates of
// each node and probes. Lanes are features of one sample.

#include "core/cuda/launch.cuh"
#include "train/cuda/respond.h"

namespace fernwood::train {

namespace {

constexpr unsigned kThreads = 256;

/// A block for each sample of the frames at hand in turn.
__global__ void respond_per_node_kernel(SampledFrames samples, View2<const forest::RegionFeature> features,
                                        const std::uint32_t* node_of, View2<float> responses) {
  for (std::uint32_t f = samples.begin; f < samples.end; ++f) {
    const image::FrameView& frame = samples.frames[samples.tree_frames[f]].view;
    for (std::uint32_t s = samples.starts[f] + blockIdx.x; s < samples.starts[f + 1]; s += gridDim.x) {
      const forest::RegionFeature* own = features.row(node_of[s]);
      float* out = responses.row(samples.rows[s]);
      for (std::size_t i = threadIdx.x; i < features.cols; i += blockDim.x)
        out[i] = forest::response(own[i], frame, samples.sites[s]);
    }
  }
}

/// A block for each probe.
__global__ void probe_kernel(ProbeArgs a) {
  const std::uint32_t p = blockIdx.x, s = a.frame_order[a.places[p]], f = a.frame_of[s];
  if (f < a.samples.begin || f >= a.samples.end) return;
  const image::FrameView& frame = a.samples.frames[a.samples.tree_frames[f]].view;
  const forest::RegionFeature* own = a.features.row(a.sets[p]);
  for (std::size_t i = threadIdx.x; i < a.features.cols; i += blockDim.x)
    a.responses(i, p) = forest::response(own[i], frame, a.samples.sites[s]);
}

}  // namespace

void respond_per_node_cuda(const SampledFrames& samples, View2<const forest::RegionFeature> features,
                           const std::uint32_t* node_of, View2<float> responses, const cuda::Stream& stream) {
  cuda::launch("feature response per node", respond_per_node_kernel, 8 * cuda::num_multiprocessors(), kThreads, 0,
               stream, samples, features, node_of, responses);
}

void probe_cuda(const ProbeArgs& args, const cuda::Stream& stream) {
  cuda::launch("probing responses", probe_kernel, static_cast<unsigned>(args.places.size), kThreads, 0, stream, args);
}

}  // namespace fernwood::train
