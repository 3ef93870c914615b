// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/find_leaves.h"

namespace fernwood::train {

std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                       FrameStore& store, ThreadPool& pool) {
  std::vector<std::uint32_t> leaves(samples.size(), 0);
  if (nodes.size() == 1) return leaves;  // no frame need be looked at
  store.visit(samples.frames, pool, [&](std::size_t i, const LoadedFrame& frame, int) {
    const image::FrameView view = frame.prepared.view();
    for (std::size_t s = samples.frame_starts[i]; s < samples.frame_starts[i + 1]; ++s)
      leaves[s] = static_cast<std::uint32_t>(forest::find_leaf(nodes.data(), view, samples.sites[s]));
  });
  return leaves;
}

}  // namespace fernwood::train
