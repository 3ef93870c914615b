// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/teach/learner.h"

namespace fernwood::teach {

/// How uncertain a forest is of its labels: 1 less the margin between its two likeliest classes (Scheffer et al. 2001,
/// section 3; Settles 2009, section 3.1), 255 where both are as likely, 0 where one is certain.
/// @param probabilities  [class][rows][cols]
Array2<std::uint8_t> uncertainty_of(const std::vector<Array2<float>>& probabilities);

/// A frame as the search for the next one sees it.
FrameUncertainty frame_uncertainty(const Array2<std::uint8_t>& uncertainty,
                                   const std::vector<Array2<float>>& probabilities);

/// A frame among those that may come next.
struct FrameToTeach {
  std::size_t frame = 0;
  bool is_taught = false;
  FrameUncertainty uncertainty;
};

/// The most useful frames first: those with much uncertainty that are unlike all frames that are taught (uncertainty
/// times distance to the nearest of them, after Settles 2009, section 5.1, and Sener and Savarese 2018). Frames are
/// compared by the shares of their classes. Equal ones in their order; taught frames are as useful as their
/// uncertainty.
std::vector<std::size_t> rank_frames(const std::vector<FrameToTeach>& frames);

}  // namespace fernwood::teach
