// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "train/cuda/frame_cache.h"
#include "train/sample_set.h"

namespace fernwood::train {

/// Sends samples down trees. Its memory is kept from tree to tree.
class LeafFinder {
 public:
  /// @return  [S] leaf that each sample ends in; the same as find_leaves() on the CPU.
  std::vector<std::uint32_t> find(const SampleSet& samples, const std::vector<forest::Node>& nodes, FrameCache& cache,
                                  const cuda::Stream& stream);

 private:
  cuda::GpuBuffer<forest::Node> nodes_;
  cuda::GpuBuffer<std::uint32_t> frames_, frame_starts_, leaves_;
  cuda::GpuBuffer<forest::PixelSite> sites_;
};

}  // namespace fernwood::train
