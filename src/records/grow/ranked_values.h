// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_view.h"

namespace fernwood::records {

/// Of NaN: above every other.
template <typename Rank>
inline constexpr Rank kUnknownRank = std::numeric_limits<Rank>::max();

/// Values of an attribute replaced by their place among its different values: tests that compare the one split records
/// as tests that compare the other, and small whole numbers are counted and sorted faster. 0 and -0 are equal.
struct RankColumn {
  /// [record] In as few bytes as they need, since reading them is what training waits for.
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> ranks;
  std::vector<float> values;  ///< [rank] Ascending.
  bool has_unknown = false;   ///< Whether a record has NaN.
};

/// [attribute]
using RankedValues = std::vector<RankColumn>;

RankedValues rank_values(const RecordView& records, ThreadPool& pool);

}  // namespace fernwood::records
