// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Recordings whose two kinds of images were stamped by clocks that differ.

#include <cstddef>
#include <optional>
#include <span>

namespace fernwood::dataset {

struct ClockOffset {
  double ahead_s = 0;         ///< How much the depth camera's clock is ahead of the colour camera's.
  std::size_t num_pairs = 0;  ///< Images that belong together when that is taken from the times of depth.
};

/// What would make the images of both kinds belong together. At a steady pace an offset of some frames more or less
/// pairs nearly as many, so it is a guess: both recordings are taken to have begun and ended together.
/// @param color_s, depth_s  Ascending.
/// @param num_pairs         That are known without an offset.
/// @return                  Nothing unless nine tenths of the images have a partner by the offset, at least ten, and at
///                          most a quarter have one without: recordings may begin at different times.
std::optional<ClockOffset> find_clock_offset(std::span<const double> color_s, std::span<const double> depth_s,
                                             double max_difference_s, std::size_t num_pairs);

}  // namespace fernwood::dataset
