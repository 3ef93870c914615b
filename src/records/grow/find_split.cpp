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

/// @param keys  Ordered values in the upper half, in their order, and records in the lower.
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

namespace {

constexpr std::size_t kLanes = 4;

}  // namespace

void SplitSearch::gather(const NodeSamples& node, const RankColumn& column) {
  num_classes_ = node.counts.size();
  num_values_ = column.values.size();
  num_unknown_ = 0;
  if (column.has_unknown) unknown_.assign(num_classes_, 0);
  counted_ = num_values_ * num_classes_ <= node.samples.size();
  const auto take = [&](const auto& ranks) {
    counted_ ? count_values(node, ranks.data(), column.has_unknown)
             : sort_values(node, ranks.data(), column.has_unknown);
  };
  std::visit(take, column.ranks);
}

template <typename Rank>
void SplitSearch::count_values(const NodeSamples& node, const Rank* ranks, bool has_unknown) {
  // NaN counts as one more value behind the others. Samples in a row are counted apart: incrementing one counter twice
  // in a row makes the processor wait, and with few counters that is frequent.
  const std::size_t num_known = num_values_ * num_classes_, num_counters = num_known + num_classes_;
  const std::size_t num_samples = node.samples.size(), num_whole = num_samples / kLanes * kLanes;
  histogram_.assign(kLanes * num_counters, 0);
  const auto count = [&](const Sample& sample, std::size_t lane) {
    const std::size_t rank = std::min<std::size_t>(ranks[sample.record], num_values_);
    histogram_[lane * num_counters + rank * num_classes_ + sample.label] += sample.weight;
  };
  for (std::size_t i = 0; i < num_whole; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) count(node.samples[i + lane], lane);
  for (std::size_t i = num_whole; i < num_samples; ++i) count(node.samples[i], 0);
  for (std::size_t lane = 1; lane < kLanes; ++lane)
    for (std::size_t k = 0; k < num_counters; ++k) histogram_[k] += histogram_[lane * num_counters + k];
  for (std::size_t c = 0; has_unknown && c < num_classes_; ++c) num_unknown_ += unknown_[c] = histogram_[num_known + c];
}

template <typename Rank>
void SplitSearch::sort_values(const NodeSamples& node, const Rank* ranks, bool has_unknown) {
  keys_.resize(std::max(keys_.size(), node.samples.size()));
  std::size_t num_keys = 0;
  std::uint32_t low = UINT32_MAX, high = 0;
  for (const Sample& sample : node.samples) {
    const std::uint32_t rank = ranks[sample.record];
    if (has_unknown && rank == kUnknownRank<Rank>) {
      unknown_[sample.label] += sample.weight, num_unknown_ += sample.weight;
      continue;
    }
    low = std::min(low, rank), high = std::max(high, rank);
    keys_[num_keys++] = std::uint64_t{rank} << 32 | std::uint64_t{sample.label} << 16 | sample.weight;
  }
  sorted_ = {keys_.data(), num_keys};
  if (low >= high) return;
  other_.resize(keys_.size());
  sorted_ = sort_keys(sorted_, {other_.data(), num_keys}, low, high);
}

template <typename Visit>
void SplitSearch::visit_counts(const Visit& visit) const {
  const std::uint32_t* count = histogram_.data();
  for (std::uint32_t rank = 0; rank < num_values_; ++rank)
    for (std::size_t label = 0; label < num_classes_; ++label, ++count)
      if (*count > 0) visit(rank, label, *count);
}

template <typename Visit>
void SplitSearch::visit_keys(const Visit& visit) const {
  for (const std::uint64_t key : sorted_)
    visit(static_cast<std::uint32_t>(key >> 32), (key >> 16) & 0xffff, static_cast<std::int64_t>(key & 0xffff));
}

template <typename Terms>
Split SplitSearch::best_boundary(const NodeSamples& node, const std::vector<float>& values, const Terms& terms,
                                 std::int64_t min_leaf_samples, bool unknown_left) {
  Sweep<Terms> sweep(terms, min_leaf_samples, left_, right_);
  sweep.start(node.counts);
  for (std::size_t c = 0; unknown_left && c < num_classes_; ++c) sweep.move(c, unknown_[c]);
  Split best;
  best.unknown_left = unknown_left;
  num_different_ = 0;
  std::uint32_t last = UINT32_MAX;
  const auto visit = [&](std::uint32_t rank, std::size_t label, std::int64_t weight) {
    if (rank != last) {
      if (num_different_++ > 0 && sweep.improves(best.purity)) {
        best.rank = last;
        best.threshold = threshold_between(values[last], values[rank]);
      }
      last = rank;
    }
    sweep.move(label, weight);
  };
  counted_ ? visit_counts(visit) : visit_keys(visit);
  if (num_different_ > 0 && num_unknown_ > 0 && !unknown_left && sweep.improves(best.purity)) {
    best.rank = last;
    best.threshold = std::numeric_limits<float>::infinity();
  }
  return best;
}

template <typename Terms>
Split SplitSearch::find(const NodeSamples& node, const RankedValues& table, std::size_t attribute, const Terms& terms,
                        std::int64_t min_leaf_samples) {
  gather(node, table[attribute]);
  Split best;
  if (counted_ || num_unknown_ > 0 || sorted_.front() >> 32 != sorted_.back() >> 32)
    best = best_boundary(node, table[attribute].values, terms, min_leaf_samples, false);
  else
    num_different_ = 1;
  if (num_unknown_ > 0) {
    const Split other = best_boundary(node, table[attribute].values, terms, min_leaf_samples, true);
    if (other.beats(best)) best = other;
  }
  best.attribute = static_cast<std::uint16_t>(attribute);
  best.constant = num_different_ + (num_unknown_ > 0) < 2;
  return best;
}

template Split SplitSearch::find(const NodeSamples&, const RankedValues&, std::size_t, const GiniTerms&, std::int64_t);
template Split SplitSearch::find(const NodeSamples&, const RankedValues&, std::size_t, const EntropyTerms&,
                                 std::int64_t);

}  // namespace fernwood::records
