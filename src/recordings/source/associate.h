// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fernwood::dataset {

/// Maximum time between colour and depth of a frame.
inline constexpr double kMaxPairDifferenceS = 0.02;

/// Images of one kind, with their own clock.
struct TimedImages {
  std::string name;                 ///< Name of the list or topic, for messages.
  std::span<const double> times_s;  ///< Ascending.
};

/// Indices of two images that belong together.
struct ImagePair {
  std::size_t color = 0, depth = 0;
};

struct Association {
  std::vector<ImagePair> pairs = {};  ///< In order of colour.
  /// A sentence where the clocks of the two cameras seem to differ, or more than a tenth of the colour images have no
  /// depth; else empty.
  std::string warning = {};
};

/// Associates images by time: the nearest pairs first, each image in at most one pair, no pair further apart than
/// kMaxPairDifferenceS. @param place  Names the recording in messages.
/// @throws Error(kData) when images are closer in time than any camera takes them, and when no two belong together.
Association associate_by_time(const std::string& place, const TimedImages& colors, const TimedImages& depths);

}  // namespace fernwood::dataset
