// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fernwood::tune {

/// The frames of a search: held-out frames that no race uses, and folds, each of which is held out in turn.
struct ForestFolds {
  std::vector<std::uint32_t> held_out;            ///< Ascending.
  std::vector<std::vector<std::uint32_t>> folds;  ///< [fold] Ascending.

  /// Frames of all folds, ascending. @param but  The fold to leave out; -1: none.
  std::vector<std::uint32_t> race_frames(int but = -1) const;
};

/// Divides frames without splitting groups: groups in an order drawn from the seed are first held out, then each is
/// added to the fold with the fewest frames.
/// @param groups     [frame] Frames with equal numbers stay together; empty: runs of neighbours do, which often show
/// the same scene.
/// @param held_out   Share of the frames, [0, 0.9].
/// @throws Error(kData) when there are too few groups for three folds and the held-out frames.
ForestFolds cut_folds(std::size_t num_frames, const std::vector<std::uint32_t>& groups, std::size_t num_folds,
                      double held_out, std::uint64_t seed, const std::string& folder);

}  // namespace fernwood::tune
