// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "records/grow/split.h"
#include "records/grow/sweep.h"

namespace fernwood {

/// What was counted of one attribute of the records in one leaf, by class: all that a split is searched in.
struct Cells {
  const std::uint32_t* counts = nullptr;  ///< [num_bins][class]
  const float* thresholds = nullptr;      ///< [num_bins - 1] Where a bin ends, which is the next one's beginning.
  std::size_t num_bins = 0;
  const std::uint32_t* unknown = nullptr;  ///< [class] Records whose value is NaN.
  std::size_t num_classes = 0;
};

/// Whether none was counted.
inline bool is_empty(std::span<const std::uint32_t> counts) {
  return std::ranges::all_of(counts, [](std::uint32_t count) { return count == 0; });
}

/// Memory of a search.
struct SearchMemory {
  std::vector<std::int64_t> left, right;
};

/// The purest split at an end of a bin; with unknown values both sides are tried for them, and known against unknown.
/// Of equal splits that with the lower threshold wins, as in train_records().
/// Where bins behind the best one are empty, so that their ends split as well, the threshold is the middle one of them.
/// @param totals  [class] All records of the leaf.
template <typename Terms>
Split best_split(const Cells& cells, std::span<const std::uint32_t> totals, const Terms& terms,
                 std::int64_t min_leaf_samples, SearchMemory& memory);

/// What a split of these cells sends left. @param left  [class], written.
void count_left(const Cells& cells, const Split& split, std::span<std::uint32_t> left);

}  // namespace fernwood
