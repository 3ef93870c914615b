// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "train/cuda/frame_cache.h"
#include "train/data/sampler.h"

namespace fernwood::train {

/// Sends samples down trees; keeps its GPU memory between calls.
class LeafFinder {
 public:
  explicit LeafFinder(FrameCache& cache) : cache_(cache) {}

  /// @return  [S] leaf of each sample.
  std::vector<std::uint32_t> find(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                  const cuda::Stream& stream);

 private:
  FrameCache& cache_;
  cuda::GpuBuffer<forest::Node> nodes_;
  cuda::GpuBuffer<std::uint32_t> frames_, starts_, leaves_;
  cuda::GpuBuffer<forest::PixelSite> sites_;
};

}  // namespace fernwood::train
