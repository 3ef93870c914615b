// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/ben_haim.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "fernwood/core/error.h"
#include "stream/sketches/log_linear.h"

namespace fernwood::lab {

namespace {

/// The remaining bins, and for each the index of the last original bin in it, which identifies the gap after it.
struct Row {
  std::vector<Bin> bins;
  std::vector<std::size_t> ends;

  void clear() { bins.clear(), ends.clear(); }
  void add(const Bin& bin, std::size_t end) { bins.push_back(bin), ends.push_back(end); }
};

/// The merge that closed a gap: the size of the gap, and the resulting bin.
struct Merge {
  double height = 0;
  Bin bin;
};

/// All merges, indexed by gaps, and the indices of closed gaps.
struct Merges {
  std::vector<Merge> of_gap;
  std::vector<std::size_t> gaps;

  /// Order of the greedy procedure.
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

/// Merges every gap that is smaller than those beside it. The steps of both loops are independent, except for the index
/// of the output bin, which is the input index minus the number of merges before it.
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

/// Merges until two bins are left, because -inf and inf cannot be merged.
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

/// Index of the first of the smallest gaps.
std::size_t closest_pair(std::span<const Bin> bins) {
  // Several minima, because with one each comparison would wait for the previous one.
  std::array<double, 4> least;
  least.fill(std::numeric_limits<double>::infinity());
  std::size_t i = 0;
  for (; i + least.size() < bins.size(); i += least.size())
    for (std::size_t j = 0; j < least.size(); ++j)
      least[j] = std::min(least[j], gap_between(bins[i + j], bins[i + j + 1]));
  for (; i + 1 < bins.size(); ++i) least[0] = std::min(least[0], gap_between(bins[i], bins[i + 1]));
  const double smallest = *std::ranges::min_element(least);
  std::size_t first = 0;
  while (gap_between(bins[first], bins[first + 1]) != smallest) ++first;
  return first;
}

}  // namespace

std::vector<Bin> merge_bins(std::vector<Bin> bins, int max_bins) {
  FW_CHECK(max_bins >= 2, Usage, "a histogram has " << max_bins << " bins at most; use 2 or more");
  sort_and_collapse(bins);
  const auto most = static_cast<std::size_t>(max_bins);
  if (bins.size() <= most) return bins;
  Merges merges = merge_all(bins);
  const auto chosen = merges.gaps.begin() + static_cast<std::ptrdiff_t>(bins.size() - most);
  std::nth_element(merges.gaps.begin(), chosen, merges.gaps.end(),
                   [&](std::size_t a, std::size_t b) { return merges.before(a, b); });
  std::vector<bool> merged(bins.size(), false);
  for (auto gap = merges.gaps.begin(); gap != chosen; ++gap) merged[*gap] = true;

  // Adjacent merged gaps form one bin: that of the last of their merges.
  std::vector<Bin> result;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    Bin bin = bins[i];
    for (std::size_t last = i; merged[i]; ++i)
      if (!merges.before(i, last)) last = i, bin = merges.of_gap[i].bin;
    result.push_back(bin);
  }
  return result;
}

BenHaimHistogram::BenHaimHistogram(int max_bins) : max_bins_(max_bins) {
  FW_CHECK(max_bins >= 2 && max_bins <= 1 << 20, Usage,
           "a histogram has " << max_bins << " bins at most; use a number from 2 to " << (1 << 20));
}

BenHaimHistogram::BenHaimHistogram(int max_bins, std::vector<Bin> bins) : BenHaimHistogram(max_bins) {
  bool valid = bins.size() <= static_cast<std::size_t>(max_bins);
  for (std::size_t i = 0; valid && i < bins.size(); ++i)
    valid = bins[i].count > 0 && !std::isnan(bins[i].value) && (i == 0 || bins[i - 1].value < bins[i].value);
  FW_CHECK(valid, Data,
           bins.size() << " bins are more than " << max_bins << ", empty or not in their order; take them from bins()");
  for (const Bin& bin : bins) total_ += bin.count;
  bins_ = std::move(bins);
}

void BenHaimHistogram::update(float value, std::uint64_t count) {
  stream::check_known({&value, 1});
  if (count > 0) add(value, count);
}

void BenHaimHistogram::add(float value, std::uint64_t count) {
  total_ += count;
  // Grown on demand up to its maximum, because many histograms count few values.
  if (bins_.size() == bins_.capacity())
    bins_.reserve(std::min(2 * bins_.size() + 1, static_cast<std::size_t>(max_bins_) + 1));
  const double place = static_cast<double>(value) + 0.0;  // -0 + 0 is 0
  const auto bin = std::ranges::lower_bound(bins_, place, {}, &Bin::value);
  if (bin != bins_.end() && bin->value == place) {
    bin->count += count;
    return;
  }
  bins_.insert(bin, {place, count});
  if (bins_.size() <= static_cast<std::size_t>(max_bins_)) return;
  const auto left = bins_.begin() + static_cast<std::ptrdiff_t>(closest_pair(bins_));
  *left = merged_bin(left[0], left[1]);
  bins_.erase(left + 1);
}

void BenHaimHistogram::update(std::span<const float> values) {
  stream::check_known(values);
  for (const float value : values) add(value, 1);
}

void BenHaimHistogram::merge(std::span<const BenHaimHistogram> others) {
  std::vector<Bin> all = bins_;
  std::uint64_t total = total_;
  for (const BenHaimHistogram& other : others) {
    all.insert(all.end(), other.bins_.begin(), other.bins_.end());
    total += other.total_;
  }
  const std::vector<Bin> merged = merge_bins(std::move(all), max_bins_);
  bins_.assign(merged.begin(), merged.end());
  total_ = total;
}

std::vector<double> BenHaimHistogram::sums(std::span<const double> places) const {
  std::vector<double> found;
  std::uint64_t before = 0;
  std::size_t i = 0;
  for (const double b : places) {
    if (bins_.empty() || b < bins_.front().value) {
      found.push_back(0);
    } else if (b >= bins_.back().value) {
      found.push_back(static_cast<double>(total_));
    } else {
      for (; bins_[i + 1].value <= b; ++i) before += bins_[i].count;
      const auto below = static_cast<double>(before), here = static_cast<double>(bins_[i].count);
      found.push_back(std::isinf(gap_between(bins_[i], bins_[i + 1]))
                          ? below + here
                          : below + here / 2 + trapezoid_sum(bins_[i], bins_[i + 1], b));
    }
  }
  return found;
}

std::vector<double> BenHaimHistogram::uniform(int parts) const {
  std::vector<double> places;
  if (bins_.empty()) return places;
  std::size_t i = 0;
  double below = 0;  // Number of values in bins before i.
  for (int j = 1; j < parts; ++j) {
    const double rank = static_cast<double>(total_) * j / parts;
    const auto count = [&](std::size_t k) { return static_cast<double>(bins_[k].count); };
    while (i + 1 < bins_.size() && rank >= below + count(i) + count(i + 1) / 2) below += count(i++);
    const double from_middle = rank - (below + count(i) / 2);
    if (i + 1 == bins_.size() || from_middle <= 0)
      places.push_back(bins_[i].value);
    else if (std::isinf(gap_between(bins_[i], bins_[i + 1])))
      places.push_back(bins_[rank <= below + count(i) ? i : i + 1].value);
    else
      places.push_back(trapezoid_place(bins_[i], bins_[i + 1], from_middle));
  }
  return places;
}

}  // namespace fernwood::lab
