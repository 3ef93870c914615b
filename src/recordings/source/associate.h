// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fernwood::recordings {

struct ClockOffset {
  double ahead_s = 0;         ///< How much the depth camera's clock is ahead of the colour camera's.
  std::size_t num_pairs = 0;  ///< Pairs when that is subtracted from the times of depth.
};

/// Estimates the offset that pairs most images. At a steady frame rate, an offset that differs by some frames pairs
/// nearly as many, so it is a guess: both recordings are assumed to have begun and ended together.
/// @param color_s, depth_s  Ascending.
/// @param num_pairs         Known pairs without an offset.
/// @return                  Empty unless the offset pairs at least nine tenths of the images and at least ten, and at
///                          most a quarter are paired without it: recordings may begin at different times.
std::optional<ClockOffset> find_clock_offset(std::span<const double> color_s, std::span<const double> depth_s,
                                             double max_difference_s, std::size_t num_pairs);

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

}  // namespace fernwood::recordings
