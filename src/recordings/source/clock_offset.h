// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Recordings whose two kinds of images have timestamps of different clocks.

#include <cstddef>
#include <optional>
#include <span>

namespace fernwood::dataset {

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

}  // namespace fernwood::dataset
