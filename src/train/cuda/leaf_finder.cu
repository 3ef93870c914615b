// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/leaf_finder.h"

#include "train/cuda/level/respond.h"

namespace fernwood::train {

std::vector<std::uint32_t> LeafFinder::find(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                            const cuda::Stream& stream) {
  std::vector<std::uint32_t> leaves(samples.size(), 0);
  if (nodes.size() == 1 || leaves.empty()) return leaves;  // avoids visiting the frames
  cuda::upload(nodes, nodes_, stream);
  cuda::upload(samples.frames, frames_, stream);
  cuda::upload(samples.frame_starts, starts_, stream);
  cuda::upload(samples.sites, sites_, stream);
  leaves_.resize(leaves.size());
  cache_.visit(samples.frames, stream, [&](std::uint32_t begin, std::uint32_t end) {
    find_leaves_cuda({.frames = cache_.table(),
                      .tree_frames = frames_.data(),
                      .frame_of = nullptr,
                      .starts = starts_.data(),
                      .begin = begin,
                      .end = end,
                      .sites = {sites_.data(), sites_.size()}},
                     nodes_.data(), leaves_.data(), stream);
  });
  cuda::copy_to_host(leaves_.data(), leaves_.size(), leaves.data(), stream);
  stream.synchronize();
  return leaves;
}

}  // namespace fernwood::train
