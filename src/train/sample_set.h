// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "train/level_kernels.h"

namespace fernwood {

/// Labelled pixels that a tree learns from, in frame order: by frame, and within a frame along the Z-order curve, so that
/// neighbours in memory are neighbours in the picture.
struct SampleSet {
  std::vector<std::uint32_t> frames;        ///< [frames] indices into the data set, ascending
  std::vector<std::uint32_t> frame_starts;  ///< [frames + 1] samples of frames[i] are frame_starts[i] … frame_starts[i + 1]
  std::vector<std::int32_t> x, y;           ///< [S]
  std::vector<float> inv_depth_x, inv_depth_y;  ///< [S] see PixelSite
  std::vector<std::uint16_t> labels;        ///< [S] class

  std::size_t size() const { return labels.size(); }
  PixelSite site(std::size_t i) const { return {x[i], y[i], inv_depth_x[i], inv_depth_y[i]}; }
  /// Arrays of the samples from `first` on.
  SiteArrays sites(std::size_t first) const {
    return {x.data() + first, y.data() + first, inv_depth_x.data() + first, inv_depth_y.data() + first};
  }
  void append(const PixelSite& site, std::uint16_t label);
  /// Samples for which keep[i] is not 0, in the same order; frames without any are left out.
  SampleSet filtered(const std::vector<std::uint8_t>& keep) const;
  /// The samples at ascending `positions`.
  SampleSet picked(const std::vector<std::uint32_t>& positions) const;
};

}  // namespace fernwood
