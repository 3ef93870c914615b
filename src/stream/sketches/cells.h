// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "records/grow/split.h"

namespace fernwood::stream {

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

/// Whether no more records of a class were counted than are in the leaf: what other processes and earlier runs tell of
/// their counts need not be true, and a search relies on it. @param totals  [class] All records of the leaf.
bool fits(const Cells& cells, std::span<const std::uint32_t> totals, SearchMemory& memory);

/// The purest split at an end of a bin; with unknown values both sides are tried for them, and known against unknown.
/// Of equal splits that with the lower threshold wins, as in train_records().
/// Where bins behind the best one are empty, so that their ends split as well, the threshold is the middle one of them.
/// @param totals  [class] All records of the leaf.
template <typename Terms>
records::Split best_split(const Cells& cells, std::span<const std::uint32_t> totals, const Terms& terms,
                          std::int64_t min_leaf_samples, SearchMemory& memory);

/// Lets a split end at the middle one of the ends that part the same records.
/// @param rank         Last bin on its left side.
/// @param next_filled  The next bin that is not empty, or the last one.
FW_HD void end_split(const Cells& cells, std::size_t rank, std::size_t next_filled, records::Split& split) {
  split.rank = static_cast<std::uint32_t>((rank + next_filled - 1) / 2);
  split.threshold = cells.thresholds[split.rank];
}
/// Lets a split part known from unknown values.
FW_HD void end_split_behind_known(const Cells& cells, records::Split& split) {
  split.rank = static_cast<std::uint32_t>(cells.num_bins - 1);
  split.threshold = __builtin_huge_valf();
}

/// Records of a class that a split of these cells sends left.
FW_HD std::uint32_t count_left_of(const Cells& cells, const records::Split& split, std::size_t label) {
  std::uint32_t left = split.unknown_left ? cells.unknown[label] : 0;
  for (std::size_t bin = 0; bin <= split.rank; ++bin) left += cells.counts[bin * cells.num_classes + label];
  return left;
}
/// What a split of these cells sends left. @param left  [class], written.
void count_left(const Cells& cells, const records::Split& split, std::span<std::uint32_t> left);

}  // namespace fernwood::stream
