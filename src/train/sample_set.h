// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/forest/region_feature.h"

namespace fernwood::train {

/// Labelled pixels that a tree learns from, in frame order: by frame, and within a frame along the Z-order curve, so
/// that neighbours in memory are neighbours in the picture.
struct SampleSet {
  std::vector<std::uint32_t> frames;  ///< [frames] indices into the data set, ascending
  std::vector<std::uint32_t>
      frame_starts;  ///< [frames + 1] samples of frames[i] are frame_starts[i] … frame_starts[i + 1]
  std::vector<forest::PixelSite> sites;  ///< [S]
  std::vector<std::uint16_t> labels;     ///< [S] class

  std::size_t size() const { return labels.size(); }
  void append(const forest::PixelSite& site, std::uint16_t label) {
    sites.push_back(site);
    labels.push_back(label);
  }
  /// The samples at ascending `positions`; frames without any are left out.
  SampleSet picked(const std::vector<std::uint32_t>& positions) const;
};

}  // namespace fernwood::train
