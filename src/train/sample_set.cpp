// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/sample_set.h"

namespace fernwood::train {

SampleSet SampleSet::picked(const std::vector<std::uint32_t>& positions) const {
  SampleSet out;
  out.frame_starts.push_back(0);
  std::size_t next = 0;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const std::size_t before = out.size();
    for (; next < positions.size() && positions[next] < frame_starts[f + 1]; ++next)
      out.append(sites[positions[next]], labels[positions[next]]);
    if (out.size() == before) continue;
    out.frames.push_back(frames[f]);
    out.frame_starts.push_back(static_cast<std::uint32_t>(out.size()));
  }
  return out;
}

}  // namespace fernwood::train
