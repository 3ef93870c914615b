// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/find_split.h"

#include <algorithm>

#include "fernwood/core/arithmetic.h"
#include "records/grow/radix_sort.h"
#include "records/grow/split.h"

namespace fernwood::records {

EntropyTerms::EntropyTerms(std::size_t most) : terms_(most + 1) {
  for (std::size_t n = 0; n <= most; ++n) terms_[n] = EntropyFormula{}.term(static_cast<std::int64_t>(n));
}

namespace {

/// @param keys  Sorted: values, in a form that preserves their order, in the upper half, records in the lower.
template <typename Rank>
std::vector<Rank> ranks_of(std::span<const std::uint64_t> keys, std::size_t num_records) {
  std::vector<Rank> ranks(num_records, kUnknownRank<Rank>);
  Rank rank = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i] >> 32 != keys[i - 1] >> 32) ++rank;
    ranks[static_cast<std::uint32_t>(keys[i])] = rank;
  }
  return ranks;
}

RankColumn rank_attribute(const RecordView& records, std::size_t attribute) {
  std::vector<std::uint64_t> keys, other;
  keys.reserve(records.num_records);
  std::uint32_t low = UINT32_MAX, high = 0;
  for (std::size_t i = 0; i < records.num_records; ++i) {
    const float value = records.at(i, attribute);
    if (is_nan(value)) continue;
    const std::uint32_t bits = ordered_bits(value);
    low = std::min(low, bits), high = std::max(high, bits);
    keys.push_back(std::uint64_t{bits} << 32 | i);
  }
  other.resize(keys.size());
  const std::span<const std::uint64_t> sorted =
      keys.empty() ? std::span(keys) : sort_by_upper_half(keys, other, low, high);
  RankColumn column;
  column.has_unknown = keys.size() < records.num_records;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i] >> 32 != sorted[i - 1] >> 32)
      column.values.push_back(float_of_ordered(static_cast<std::uint32_t>(sorted[i] >> 32)));
  if (column.values.size() <= kUnknownRank<std::uint8_t>)
    column.ranks = ranks_of<std::uint8_t>(sorted, records.num_records);
  else if (column.values.size() <= kUnknownRank<std::uint16_t>)
    column.ranks = ranks_of<std::uint16_t>(sorted, records.num_records);
  else
    column.ranks = ranks_of<std::uint32_t>(sorted, records.num_records);
  return column;
}

}  // namespace

RankedValues rank_values(const RecordView& records, ThreadPool& pool) {
  RankedValues table(records.num_attributes);
  pool.for_each(table.size(), [&](std::size_t a, int) { table[a] = rank_attribute(records, a); });
  return table;
}

template <typename Statistics>
void SplitSearch<Statistics>::gather(const Node& node, const RankColumn& column, const Statistics& statistics) {
  num_cells_ = statistics.num_cells();
  num_values_ = column.values.size();
  num_unknown_ = 0;
  if (column.has_unknown) unknown_.assign(num_cells_, Cell{});
  counted_ = statistics.counts_values(num_values_, node.samples.size());
  const auto take = [&](const auto& ranks) {
    counted_ ? count_values(node, ranks.data(), statistics, column.has_unknown)
             : sort_values(node, ranks.data(), statistics, column.has_unknown);
  };
  std::visit(take, column.ranks);
}

template <typename Statistics>
template <typename Rank>
void SplitSearch<Statistics>::count_values(const Node& node, const Rank* ranks, const Statistics& statistics,
                                           bool has_unknown) {
  // NaN counts as one more value after the others.
  constexpr std::size_t kLanes = Statistics::kLanes;
  const std::size_t num_known = num_values_ * num_cells_, num_counters = num_known + num_cells_;
  const std::size_t num_samples = node.samples.size(), num_whole = num_samples / kLanes * kLanes;
  histogram_.assign(kLanes * num_counters, Cell{});
  const auto count = [&](const Sample& sample, std::size_t lane) {
    const std::size_t rank = std::min<std::size_t>(ranks[sample.record], num_values_);
    histogram_[lane * num_counters + rank * num_cells_ + statistics.cell_index(sample)] += statistics.cell_of(sample);
  };
  for (std::size_t i = 0; i < num_whole; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) count(node.samples[i + lane], lane);
  for (std::size_t i = num_whole; i < num_samples; ++i) count(node.samples[i], 0);
  for (std::size_t lane = 1; lane < kLanes; ++lane)
    for (std::size_t k = 0; k < num_counters; ++k) histogram_[k] += histogram_[lane * num_counters + k];
  for (std::size_t c = 0; has_unknown && c < num_cells_; ++c) {
    unknown_[c] = histogram_[num_known + c];
    num_unknown_ += Statistics::weight_of(unknown_[c]);
  }
}

template <typename Statistics>
template <typename Rank>
void SplitSearch<Statistics>::sort_values(const Node& node, const Rank* ranks, const Statistics& statistics,
                                          bool has_unknown) {
  keys_.resize(std::max(keys_.size(), node.samples.size()));
  std::size_t num_keys = 0;
  std::uint32_t low = UINT32_MAX, high = 0;
  for (std::size_t i = 0; i < node.samples.size(); ++i) {
    const Sample& sample = node.samples[i];
    const std::uint32_t rank = ranks[sample.record];
    if (has_unknown && rank == kUnknownRank<Rank>) {
      unknown_[statistics.cell_index(sample)] += statistics.cell_of(sample), num_unknown_ += sample.weight;
      continue;
    }
    low = std::min(low, rank), high = std::max(high, rank);
    keys_[num_keys++] = std::uint64_t{rank} << 32 | statistics.key_of(sample, i);
  }
  sorted_ = {keys_.data(), num_keys};
  if (low >= high) return;
  other_.resize(keys_.size());
  sorted_ = sort_keys(sorted_, {other_.data(), num_keys}, low, high);
}

template <typename Statistics>
template <typename Visit>
void SplitSearch<Statistics>::visit_cells(const Visit& visit) const {
  const Cell* cell = histogram_.data();
  for (std::uint32_t rank = 0; rank < num_values_; ++rank)
    for (std::size_t index = 0; index < num_cells_; ++index, ++cell)
      if (Statistics::weight_of(*cell) > 0) visit(rank, index, *cell);
}

template <typename Statistics>
template <typename Visit>
void SplitSearch<Statistics>::visit_keys(const Node& node, const Statistics& statistics, const Visit& visit) const {
  for (const std::uint64_t key : sorted_)
    statistics.with_cell(static_cast<std::uint32_t>(key), node.samples, [&](std::size_t index, const Cell& cell) {
      visit(static_cast<std::uint32_t>(key >> 32), index, cell);
    });
}

template <typename Statistics>
Split SplitSearch<Statistics>::best_boundary(const Node& node, const std::vector<float>& values,
                                             const Statistics& statistics, std::int64_t min_leaf_samples,
                                             bool unknown_left) {
  auto sweep = statistics.sweep(node.totals, min_leaf_samples, memory_);
  for (std::size_t c = 0; unknown_left && c < num_cells_; ++c) sweep.move(c, unknown_[c]);
  Split best;
  best.unknown_left = unknown_left;
  num_different_ = 0;
  std::uint32_t last = UINT32_MAX;
  const auto visit = [&](std::uint32_t rank, std::size_t index, const Cell& cell) {
    if (rank != last) {
      if (num_different_++ > 0 && sweep.improves(best.purity)) {
        best.rank = last;
        best.threshold = threshold_between(values[last], values[rank]);
      }
      last = rank;
    }
    sweep.move(index, cell);
  };
  counted_ ? visit_cells(visit) : visit_keys(node, statistics, visit);
  if (num_different_ > 0 && num_unknown_ > 0 && !unknown_left && sweep.improves(best.purity)) {
    best.rank = last;
    best.threshold = std::numeric_limits<float>::infinity();
  }
  return best;
}

template <typename Statistics>
Split SplitSearch<Statistics>::find(const Node& node, const RankedValues& table, std::size_t attribute,
                                    const Statistics& statistics, std::int64_t min_leaf_samples) {
  gather(node, table[attribute], statistics);
  Split best;
  if (counted_ || num_unknown_ > 0 || sorted_.front() >> 32 != sorted_.back() >> 32)
    best = best_boundary(node, table[attribute].values, statistics, min_leaf_samples, false);
  else
    num_different_ = 1;
  if (num_unknown_ > 0) {
    const Split other = best_boundary(node, table[attribute].values, statistics, min_leaf_samples, true);
    if (other.beats(best)) best = other;
  }
  best.attribute = static_cast<std::uint16_t>(attribute);
  best.constant = num_different_ + (num_unknown_ > 0) < 2;
  return best;
}

template class SplitSearch<ClassStatistics<GiniTerms>>;
template class SplitSearch<ClassStatistics<EntropyTerms>>;
template class SplitSearch<TargetStatistics>;

}  // namespace fernwood::records
