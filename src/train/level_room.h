// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fernwood::train {

/// Responses of a sample lie in whole cache lines. @return  Numbers of 4 bytes.
inline std::size_t row_length(std::size_t num_features) { return (num_features + 31) / 32 * 32; }

/// What the levels of a tree ask of a GPU's memory, in numbers of 4 bytes.
struct LevelNeeds {
  std::size_t samples = 0;
  std::size_t columns = 0;        ///< row_length() of all candidates.
  std::size_t counts = 0;         ///< For each candidate, shared scores among them.
  std::size_t padding = 0;        ///< Whatever the candidates.
  std::size_t levels = 0;         ///< That the tree can have.
  bool can_start_levels = false;  ///< See can_start_levels().
  bool all_frames_there = false;  ///< None is ever brought anew.
};

/// How it is divided.
struct LevelRoom {
  std::size_t work = 0;   ///< Numbers for a chunk's responses and counts.
  std::size_t ahead = 0;  ///< Levels whose responses are found in one visit of the frames; then `work` has no room for
                          ///< those of a chunk. 0: chunk after chunk.
};

/// Whole levels ahead where memory has room for two at least, beside counts: to bring the frames, or only the windows
/// of their samples, takes longer than to look at a thousand candidates there.
inline LevelRoom divide_room(const LevelNeeds& needs, std::size_t numbers) {
  // Where all frames are there, so many candidates take as long as the windows that are brought for them.
  constexpr std::size_t kEnough = 8192;
  const std::size_t all = (needs.samples + needs.counts) * needs.columns + needs.padding;
  const std::size_t counts = std::min(needs.counts * needs.columns + needs.padding, numbers / 4);
  const std::size_t level = needs.samples * needs.columns;
  if (needs.can_start_levels && level > 0) {
    std::size_t ahead = std::min((numbers - counts) / level, needs.levels);
    if (needs.all_frames_there) ahead = std::min(ahead, kEnough / needs.columns);
    if (ahead > 1) return {counts, ahead};
  }
  return {std::min(all, numbers), 0};
}

}  // namespace fernwood::train
