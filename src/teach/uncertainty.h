// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/teach/teaching.h"

namespace fernwood::teach {

/// Uncertainty of a forest's labels: 1 minus the margin between its two most probable classes (Scheffer et al. 2001,
/// section 3; Settles 2009, section 3.1), 255 where both are equally probable, 0 where one is certain.
/// @param probabilities  [class][rows][cols]
Array2<std::uint8_t> uncertainty_of(const std::vector<Array2<float>>& probabilities);

/// Summary of a frame for choosing the next one.
FrameUncertainty frame_uncertainty(const Array2<std::uint8_t>& uncertainty,
                                   const std::vector<Array2<float>>& probabilities);

/// A frame that may be chosen next.
struct FrameToTeach {
  std::size_t frame = 0;
  bool is_taught = false;
  FrameUncertainty uncertainty;
};

/// Most useful frames first: those with high uncertainty that differ from all taught frames (uncertainty times distance
/// to the nearest of them, after Settles 2009, section 5.1, and Sener and Savarese 2018). Frames are compared by the
/// shares of their classes. Ties keep their order; for taught frames, the usefulness is their uncertainty.
std::vector<std::size_t> rank_frames(const std::vector<FrameToTeach>& frames);

}  // namespace fernwood::teach
