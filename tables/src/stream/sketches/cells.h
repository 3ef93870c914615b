// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "records/grow/split.h"
#include "records/grow/target_statistics.h"
#include "stream/sketches/leaf_statistics.h"

namespace fernwood::stream {

/// Counts of one attribute over the records of one leaf, the input of a search for splits.
template <typename Count>
struct BasicCells {
  const Count* counts = nullptr;      ///< [num_bins][row_size] Rows of LeafStatistics.
  const float* thresholds = nullptr;  ///< [num_bins - 1] Upper end of each bin, which is the lower end of the next.
  std::size_t num_bins = 0;
  const Count* unknown = nullptr;  ///< [row_size] Of the records whose value is NaN.
  std::size_t row_size = 0;
};
using Cells = BasicCells<std::uint32_t>;        ///< For classes.
using TargetCells = BasicCells<std::uint64_t>;  ///< For targets.

/// Whether all counts are 0.
template <typename Counts>
bool is_empty(const Counts& counts) {
  return std::ranges::all_of(counts, [](auto count) { return count == 0; });
}

/// Scratch memory of a search.
struct SearchMemory {
  std::vector<std::int64_t> left, right;
};

/// Used in place of a measure of classes: splits are evaluated by the squared error of targets.
struct SquaredError {};

/// Whether the counts of a class do not exceed the records of the leaf, and targets are not too large. A search relies
/// on this, and counts from other processes and earlier runs may be wrong.
/// @param totals  All records of the leaf.
bool fits(const Cells& cells, std::span<const std::uint64_t> totals);
bool fits(const TargetCells& cells, std::span<const std::uint64_t> totals);
/// The same for one class.
FW_HD bool fits_class(const Cells& cells, std::size_t label, std::uint64_t total) {
  std::uint64_t counted = cells.unknown[label];
  for (std::size_t bin = 0; bin < cells.num_bins; ++bin) counted += cells.counts[bin * cells.row_size + label];
  return counted <= total;
}

/// The purest split at an end of a bin. Unknown values are tried on both sides, and also known against unknown values.
/// Of equally pure splits, the one with the lower threshold wins, as in train_records().
/// If bins after the best end are empty, so that their ends are equivalent, the middle end is the threshold.
/// @param totals  All records of the leaf. @param measure  GiniTerms or EntropyTerms; for targets SquaredError.
template <typename Count, typename Measure>
records::Split best_split(const BasicCells<Count>& cells, std::span<const std::uint64_t> totals, const Measure& measure,
                          std::int64_t min_leaf_samples, SearchMemory& memory);

/// Sets the threshold of a split to the middle one of the equivalent ends of bins.
/// @param rank         Last bin on its left side.
/// @param next_filled  The next bin that is not empty, or the last one.
template <typename Count>
FW_HD void end_split(const BasicCells<Count>& cells, std::size_t rank, std::size_t next_filled, records::Split& split) {
  split.rank = static_cast<std::uint32_t>((rank + next_filled - 1) / 2);
  split.threshold = cells.thresholds[split.rank];
}
/// Makes a split separate known from unknown values.
template <typename Count>
FW_HD void end_split_behind_known(const BasicCells<Count>& cells, records::Split& split) {
  split.rank = static_cast<std::uint32_t>(cells.num_bins - 1);
  split.threshold = __builtin_huge_valf();
}

/// One element of the row that a split of these cells sends left: the records of a class.
template <typename Count>
FW_HD Count count_left_of(const BasicCells<Count>& cells, const records::Split& split, std::size_t place) {
  Count left = split.unknown_left ? cells.unknown[place] : 0;
  for (std::size_t bin = 0; bin <= split.rank; ++bin) left += cells.counts[bin * cells.row_size + place];
  return left;
}
/// The row that a split of these cells sends left.
template <typename Count>
std::vector<std::uint64_t> count_left(const BasicCells<Count>& cells, const records::Split& split) {
  std::vector<std::uint64_t> left(cells.row_size);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = count_left_of(cells, split, i);
  return left;
}

}  // namespace fernwood::stream
