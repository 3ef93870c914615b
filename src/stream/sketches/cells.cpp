// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/cells.h"

#include <algorithm>
#include <functional>

#include "records/grow/split.h"

namespace fernwood::stream {

namespace {

std::span<const std::uint32_t> counts_of(const Cells& cells, std::size_t bin) {
  return {cells.counts + bin * cells.num_classes, cells.num_classes};
}

/// @return Whether there were records to move left.
template <typename Terms>
bool move_all(std::span<const std::uint32_t> counts, records::Sweep<Terms>& sweep) {
  bool moved = false;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] > 0) sweep.move(c, counts[c]), moved = true;
  return moved;
}

/// Purest split with the unknown values on one side.
template <typename Terms>
records::Split best_boundary(const Cells& cells, std::span<const std::uint32_t> totals, records::Sweep<Terms>& sweep,
                             bool unknown_left) {
  sweep.start(totals);
  records::Split best;
  best.unknown_left = unknown_left;
  if (unknown_left) move_all({cells.unknown, cells.num_classes}, sweep);
  for (std::size_t bin = 0; bin + 1 < cells.num_bins; ++bin)
    if (move_all(counts_of(cells, bin), sweep) && sweep.improves(best.purity))
      best.rank = static_cast<std::uint32_t>(bin);
  if (!best.found()) return best;
  std::size_t next = best.rank + 1;
  while (next + 1 < cells.num_bins && is_empty(counts_of(cells, next))) ++next;
  end_split(cells, best.rank, next, best);
  return best;
}

/// Known against unknown values, once the sweep has moved all but the last bin.
template <typename Terms>
void part_unknown(const Cells& cells, records::Sweep<Terms>& sweep, records::Split& best) {
  move_all(counts_of(cells, cells.num_bins - 1), sweep);
  if (!sweep.improves(best.purity)) return;
  end_split_behind_known(cells, best);
}

}  // namespace

bool fits(const Cells& cells, std::span<const std::uint32_t> totals, SearchMemory& memory) {
  std::vector<std::int64_t>& counted = memory.left;
  counted.assign(cells.unknown, cells.unknown + cells.num_classes);
  for (std::size_t bin = 0; bin < cells.num_bins; ++bin)
    std::ranges::transform(counted, counts_of(cells, bin), counted.begin(), std::plus<std::int64_t>());
  return std::ranges::equal(counted, totals, std::less_equal<std::int64_t>());
}

template <typename Terms>
records::Split best_split(const Cells& cells, std::span<const std::uint32_t> totals, const Terms& terms,
                          std::int64_t min_leaf_samples, SearchMemory& memory) {
  records::Sweep<Terms> sweep(terms, min_leaf_samples, memory.left, memory.right);
  records::Split best = best_boundary(cells, totals, sweep, false);
  if (is_empty({cells.unknown, cells.num_classes})) return best;
  part_unknown(cells, sweep, best);
  const records::Split other = best_boundary(cells, totals, sweep, true);
  return other.beats(best) ? other : best;
}

void count_left(const Cells& cells, const records::Split& split, std::span<std::uint32_t> left) {
  for (std::size_t c = 0; c < cells.num_classes; ++c) left[c] = count_left_of(cells, split, c);
}

template records::Split best_split(const Cells&, std::span<const std::uint32_t>, const records::GiniTerms&,
                                   std::int64_t, SearchMemory&);
template records::Split best_split(const Cells&, std::span<const std::uint32_t>, const records::EntropyTerms&,
                                   std::int64_t, SearchMemory&);

}  // namespace fernwood::stream
