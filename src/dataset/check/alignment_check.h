// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Estimates whether depth is aligned to colour, from the edges of both in some frames. Labels are not used.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "dataset/check/edge_agreement.h"

namespace fernwood::dataset {

/// Number of frames that suffices to judge a data set; more only take longer.
inline constexpr std::size_t kMostAligned = 24;

/// Position of depth relative to colour, in the centre of the image.
struct Misalignment {
  double right_px = 0, down_px = 0;  ///< Negative: left, up.
  double magnification = 1;          ///< Size of objects in depth, relative to colour.
  std::size_t num_frames = 0;        ///< Used for the estimate.
};

/// @param frames  In the order of the frames; those without enough edges are skipped.
/// @return        Empty where depth is aligned to colour within 3 pixels of 640, and where the edges are inconclusive:
///                fewer than 5 frames, no edges, or a different result for two halves of the frames.
std::optional<Misalignment> find_misalignment(std::span<const EdgeAgreement> frames);

/// "depth seems to lie 10 pixels left of colour (by the edges in 24 frames)".
std::string to_string(const Misalignment& found);

}  // namespace fernwood::dataset
