// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Whether depth lies on colour, guessed from what the edges of both say in some frames. Labels are not looked at.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "dataset/check/edge_agreement.h"

namespace fernwood::dataset {

/// Frames that suffice to judge a data set by; more of them only take longer.
inline constexpr std::size_t kMostAligned = 24;

/// Where depth lies in comparison with colour, in the middle of the picture.
struct Misalignment {
  double right_px = 0, down_px = 0;  ///< Negative: left, up.
  double magnification = 1;          ///< Of what depth shows, compared with colour.
  std::size_t num_frames = 0;        ///< That it was found from.
};

/// @param frames  In the order of the frames; those that say nothing are passed over.
/// @return        Nothing where depth lies on colour within 3 pixels of 640, and where the edges do not say it clearly:
///                fewer than 5 frames, no edges, two halves of the frames that say something else.
std::optional<Misalignment> find_misalignment(std::span<const EdgeAgreement> frames);

/// "depth seems to lie 10 pixels left of colour (by the edges in 24 frames)".
std::string to_string(const Misalignment& found);

}  // namespace fernwood::dataset
