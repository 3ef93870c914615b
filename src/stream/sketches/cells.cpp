// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/cells.h"

#include <algorithm>
#include <limits>

#include "records/grow/impurity.h"

namespace fernwood {

namespace {

bool is_empty(const Cells& cells, std::size_t bin) {
  const std::uint32_t* const counts = cells.counts + bin * cells.num_classes;
  return std::all_of(counts, counts + cells.num_classes, [](std::uint32_t count) { return count == 0; });
}

/// Purest split with the unknown values on one side.
template <typename Terms>
void sweep_bins(const Cells& cells, Sweep<Terms>& sweep, bool unknown_left, Split& best) {
  const auto move_all = [&](const std::uint32_t* counts) {
    bool moved = false;
    for (std::size_t c = 0; c < cells.num_classes; ++c)
      if (counts[c] > 0) sweep.move(c, counts[c]), moved = true;
    return moved;
  };
  if (unknown_left) move_all(cells.unknown);
  for (std::size_t bin = 0; bin + 1 < cells.num_bins; ++bin) {
    if (!move_all(cells.counts + bin * cells.num_classes) || !sweep.improves(best.purity)) continue;
    best.rank = static_cast<std::uint32_t>(bin);
    best.unknown_left = unknown_left;
  }
}

/// Known against unknown values, once the sweep has moved all but the last bin.
template <typename Terms>
bool part_unknown(const Cells& cells, Sweep<Terms>& sweep, Split& best) {
  const std::uint32_t* const last = cells.counts + (cells.num_bins - 1) * cells.num_classes;
  for (std::size_t c = 0; c < cells.num_classes; ++c) sweep.move(c, last[c]);
  if (!sweep.improves(best.purity)) return false;
  best.rank = static_cast<std::uint32_t>(cells.num_bins - 1);
  best.threshold = std::numeric_limits<float>::infinity();
  best.unknown_left = false;
  return true;
}

}  // namespace

template <typename Terms>
Split best_split(const Cells& cells, std::span<const std::uint32_t> totals, const Terms& terms,
                 std::int64_t min_leaf_samples, SearchMemory& memory) {
  Sweep<Terms> sweep(terms, min_leaf_samples, memory.left, memory.right);
  const bool has_unknown =
      std::any_of(cells.unknown, cells.unknown + cells.num_classes, [](std::uint32_t count) { return count > 0; });
  Split best;
  sweep.start(totals);
  sweep_bins(cells, sweep, false, best);
  const bool parts_unknown = has_unknown && part_unknown(cells, sweep, best);
  if (has_unknown) {
    const double before = best.purity;
    sweep.start(totals);
    sweep_bins(cells, sweep, true, best);
    if (parts_unknown && best.purity == before) return best;
  }
  if (!best.found()) return best;
  std::size_t last = best.rank;
  while (last + 2 < cells.num_bins && is_empty(cells, last + 1)) ++last;
  best.rank = static_cast<std::uint32_t>((best.rank + last) / 2);
  best.threshold = cells.thresholds[best.rank];
  return best;
}

void count_left(const Cells& cells, const Split& split, std::span<std::uint32_t> left) {
  std::ranges::fill(left, 0);
  for (std::size_t c = 0; c < cells.num_classes; ++c) {
    for (std::size_t bin = 0; bin <= split.rank; ++bin) left[c] += cells.counts[bin * cells.num_classes + c];
    if (split.unknown_left) left[c] += cells.unknown[c];
  }
}

template Split best_split(const Cells&, std::span<const std::uint32_t>, const GiniTerms&, std::int64_t, SearchMemory&);
template Split best_split(const Cells&, std::span<const std::uint32_t>, const EntropyTerms&, std::int64_t,
                          SearchMemory&);

}  // namespace fernwood
