// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

/// A leaf that may be split.
struct OpenLeaf {
  std::int32_t node = 0;
  std::int32_t slot = -1;          ///< Where it counts; -1: it waits.
  std::uint64_t seen = 0;          ///< Records counted in its slot.
  std::uint64_t seen_at_test = 0;  ///< Of those, at the last search.
  std::int32_t tests = 0;          ///< Searches so far.
};

/// What a search found in an open leaf, with the gains that decide.
struct FoundSplit {
  std::size_t leaf = 0;  ///< Which of the open leaves.
  LeafSearch search;
  std::vector<std::uint32_t> totals;  ///< [class] What the leaf had counted.
  double gain = 0,
         second_gain = 0;  ///< Decrease of impurity a record, by the best split and that of another attribute.
};

/// Gains of a search. @param totals  [class] All that the leaf has counted.
void weigh(FoundSplit& found, records::Criterion criterion);

/// Whether leaf and search say that a split is surely, or nearly, as good as any (see StreamOptions).
bool is_decided(const FoundSplit& found, const OpenLeaf& leaf, const StreamOptions& options);

/// Whether records of several classes are among them, and enough. @param totals  [class]
template <typename Count>
bool may_split(std::span<const Count> totals, const StreamOptions& options) {
  std::uint64_t n = 0;
  std::size_t num_seen = 0;
  for (const Count count : totals) n += count, num_seen += count > 0 ? 1 : 0;
  return num_seen > 1 && n >= static_cast<std::uint64_t>(options.min_samples) &&
         n / 2 >= static_cast<std::uint64_t>(options.min_leaf_samples);
}

}  // namespace fernwood::stream
