// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fernwood::search {

/// The frames of a search: some that no race sees, the others in folds, each held back in turn.
struct ForestFolds {
  std::vector<std::uint32_t> held_out;            ///< Ascending.
  std::vector<std::vector<std::uint32_t>> folds;  ///< [fold] ascending

  /// Frames of all folds, ascending. @param but  Without this fold; -1: all.
  std::vector<std::uint32_t> race_frames(int but = -1) const;
};

/// Cuts frames so that no group is parted: groups in an order drawn from the seed, first those held out, then each to
/// the fold that has the fewest frames.
/// @param groups     [frame] frames of equal numbers stay together; empty: runs of neighbours do, which often show the
///                   same scene.
/// @param held_out   Share of the frames, [0, 0.9].
/// @throws Error(kData) when there are too few groups for three folds and what is held out.
ForestFolds cut_folds(std::size_t num_frames, const std::vector<std::uint32_t>& groups, std::size_t num_folds,
                      double held_out, std::uint64_t seed, const std::string& folder);

}  // namespace fernwood::search
