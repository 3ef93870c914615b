// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/ranked_values.h"

#include "fernwood/core/arithmetic.h"
#include "records/grow/radix_sort.h"

namespace fernwood::records {

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

}  // namespace fernwood::records
