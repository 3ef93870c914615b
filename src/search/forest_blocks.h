// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fernwood::search {

/// The frames of a search: some that no race sees, the others in blocks, each held back in turn.
struct ForestBlocks {
  std::vector<std::uint32_t> held_out;             ///< Ascending.
  std::vector<std::vector<std::uint32_t>> blocks;  ///< [block] ascending

  /// Frames of all blocks, ascending. @param but  Without this block; -1: all.
  std::vector<std::uint32_t> race_frames(int but = -1) const;
};

/// Cuts frames so that no group is parted: groups in an order drawn from the seed, first those held out, then each to
/// the block that has the fewest frames.
/// @param groups     [frame] frames of equal numbers stay together; empty: runs of neighbours do, which often show the
///                   same scene.
/// @param held_out   Share of the frames, [0, 0.9].
/// @throws Error(kData) when there are too few groups for three blocks and what is held out.
ForestBlocks cut_blocks(std::size_t num_frames, const std::vector<std::uint32_t>& groups, std::size_t num_blocks,
                        double held_out, std::uint64_t seed, const std::string& folder);

}  // namespace fernwood::search
