// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/merge_bins.h"

#include <algorithm>

#include "fernwood/core/error.h"

namespace fernwood::stream {

namespace {

/// Bins that are left, and for each the last of the original bins in it: the name of the gap behind.
struct Row {
  std::vector<Bin> bins;
  std::vector<std::size_t> ends;

  void clear() { bins.clear(), ends.clear(); }
  void add(const Bin& bin, std::size_t end) { bins.push_back(bin), ends.push_back(end); }
};

/// What became of a gap: the bin that took its place, and how large it was then.
struct Merge {
  double height = 0;
  Bin bin;
};

/// Every merge by its gap's name, and the names of those that there are.
struct Merges {
  std::vector<Merge> of_gap;
  std::vector<std::size_t> gaps;

  /// The greedy procedure's order.
  bool before(std::size_t a, std::size_t b) const {
    return of_gap[a].height != of_gap[b].height ? of_gap[a].height < of_gap[b].height : a < b;
  }
};

void sort_and_collapse(std::vector<Bin>& bins) {
  for (Bin& bin : bins) bin.value += 0.0;  // -0 + 0 is 0
  std::ranges::sort(bins, {}, &Bin::value);
  std::size_t num_values = 0;
  for (const Bin& bin : bins) {
    if (num_values > 0 && bins[num_values - 1].value == bin.value)
      bins[num_values - 1].count += bin.count;
    else
      bins[num_values++] = bin;
  }
  bins.resize(num_values);
}

/// Merges every gap that is the least around it. Each step of both loops is independent of the others but for the place
/// where its bin goes, which is its index less the merges before it.
void merge_round(const Row& row, std::vector<double>& gaps, Merges& merges, Row& next) {
  gaps.resize(row.bins.size() - 1);
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = gap_between(row.bins[i], row.bins[i + 1]);
  next.clear();
  for (std::size_t i = 0; i < row.bins.size(); ++i) {
    if (i == gaps.size() || !is_least_gap(gaps.data(), gaps.size(), i)) {
      next.add(row.bins[i], row.ends[i]);
      continue;
    }
    const Bin bin = merged_bin(row.bins[i], row.bins[i + 1]);
    merges.of_gap[row.ends[i]] = {gaps[i], bin};
    merges.gaps.push_back(row.ends[i]);
    next.add(bin, row.ends[++i]);
  }
}

/// All merges until two bins are left: -inf and inf never meet.
Merges merge_all(const std::vector<Bin>& bins) {
  Merges merges;
  merges.of_gap.resize(bins.size());
  Row row, next;
  for (std::size_t i = 0; i < bins.size(); ++i) row.add(bins[i], i);
  std::vector<double> gaps;
  while (row.bins.size() > 2) {
    merge_round(row, gaps, merges, next);
    std::swap(row, next);
  }
  return merges;
}

}  // namespace

std::vector<Bin> merge_bins(std::vector<Bin> bins, int max_bins) {
  FW_CHECK(max_bins >= 2, Usage, "a histogram has " << max_bins << " bins at most; give 2 or more");
  sort_and_collapse(bins);
  const auto most = static_cast<std::size_t>(max_bins);
  if (bins.size() <= most) return bins;
  Merges merges = merge_all(bins);
  const auto chosen = merges.gaps.begin() + static_cast<std::ptrdiff_t>(bins.size() - most);
  std::nth_element(merges.gaps.begin(), chosen, merges.gaps.end(),
                   [&](std::size_t a, std::size_t b) { return merges.before(a, b); });
  std::vector<bool> merged(bins.size(), false);
  for (auto gap = merges.gaps.begin(); gap != chosen; ++gap) merged[*gap] = true;

  // Neighbours that are merged make one bin: that of the last of their merges.
  std::vector<Bin> result;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    Bin bin = bins[i];
    for (std::size_t last = i; merged[i]; ++i)
      if (!merges.before(i, last)) last = i, bin = merges.of_gap[i].bin;
    result.push_back(bin);
  }
  return result;
}

}  // namespace fernwood::stream
