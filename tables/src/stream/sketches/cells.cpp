// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/cells.h"

#include <algorithm>

#include "records/grow/split.h"

namespace fernwood::stream {

namespace {

template <typename Count>
std::span<const Count> counts_of(const BasicCells<Count>& cells, std::size_t bin) {
  return {cells.counts + bin * cells.row_size, cells.row_size};
}

/// Starts with all records on the right.
template <typename Terms>
records::Sweep<Terms> start_sweep(const Terms& terms, std::span<const std::uint64_t> totals,
                                  std::int64_t min_leaf_samples, SearchMemory& memory) {
  records::Sweep<Terms> sweep(terms, min_leaf_samples, memory.left, memory.right);
  sweep.start(totals);
  return sweep;
}
records::TargetSweep start_sweep(const SquaredError&, std::span<const std::uint64_t> totals,
                                 std::int64_t min_leaf_samples, SearchMemory&) {
  return {sum_of(totals), min_leaf_samples};
}

/// @return Whether any records were moved left.
template <typename Terms>
bool move_all(std::span<const std::uint32_t> counts, records::Sweep<Terms>& sweep) {
  bool moved = false;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] > 0) sweep.move(c, counts[c]), moved = true;
  return moved;
}
bool move_all(std::span<const std::uint64_t> row, records::TargetSweep& sweep) {
  if (row[0] == 0) return false;
  sweep.move(0, sum_of(row));
  return true;
}

/// Purest split with the unknown values on one side. @param sweep  Has moved nothing yet.
template <typename Count, typename Sweep>
records::Split best_boundary(const BasicCells<Count>& cells, Sweep& sweep, bool unknown_left) {
  records::Split best;
  best.unknown_left = unknown_left;
  if (unknown_left) move_all({cells.unknown, cells.row_size}, sweep);
  for (std::size_t bin = 0; bin + 1 < cells.num_bins; ++bin)
    if (move_all(counts_of(cells, bin), sweep) && sweep.improves(best.purity))
      best.rank = static_cast<std::uint32_t>(bin);
  if (!best.found()) return best;
  std::size_t next = best.rank + 1;
  while (next + 1 < cells.num_bins && is_empty(counts_of(cells, next))) ++next;
  end_split(cells, best.rank, next, best);
  return best;
}

/// Tries the split of known against unknown values, after the sweep has moved all but the last bin.
template <typename Count, typename Sweep>
void part_unknown(const BasicCells<Count>& cells, Sweep& sweep, records::Split& best) {
  move_all(counts_of(cells, cells.num_bins - 1), sweep);
  if (!sweep.improves(best.purity)) return;
  end_split_behind_known(cells, best);
}

}  // namespace

bool fits(const Cells& cells, std::span<const std::uint64_t> totals) {
  for (std::size_t label = 0; label < totals.size(); ++label)
    if (!fits_class(cells, label, totals[label])) return false;
  return true;
}

bool fits(const TargetCells& cells, std::span<const std::uint64_t> totals) {
  const LeafStatistics statistics{.of_targets = true};
  std::uint64_t left = totals[0];
  const auto takes = [&](std::span<const std::uint64_t> row) {
    if (row[0] > left || !statistics.is_possible(row)) return false;
    left -= row[0];
    return true;
  };
  for (std::size_t bin = 0; bin < cells.num_bins; ++bin)
    if (!takes(counts_of(cells, bin))) return false;
  return takes({cells.unknown, cells.row_size});
}

template <typename Count, typename Measure>
records::Split best_split(const BasicCells<Count>& cells, std::span<const std::uint64_t> totals, const Measure& measure,
                          std::int64_t min_leaf_samples, SearchMemory& memory) {
  auto sweep = start_sweep(measure, totals, min_leaf_samples, memory);
  records::Split best = best_boundary(cells, sweep, false);
  if (is_empty(std::span<const Count>(cells.unknown, cells.row_size))) return best;
  part_unknown(cells, sweep, best);
  auto other_sweep = start_sweep(measure, totals, min_leaf_samples, memory);
  const records::Split other = best_boundary(cells, other_sweep, true);
  return other.beats(best) ? other : best;
}

template records::Split best_split(const Cells&, std::span<const std::uint64_t>, const records::GiniTerms&,
                                   std::int64_t, SearchMemory&);
template records::Split best_split(const Cells&, std::span<const std::uint64_t>, const records::EntropyTerms&,
                                   std::int64_t, SearchMemory&);
template records::Split best_split(const TargetCells&, std::span<const std::uint64_t>, const SquaredError&,
                                   std::int64_t, SearchMemory&);

}  // namespace fernwood::stream
