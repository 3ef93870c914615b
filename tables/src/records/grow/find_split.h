// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_forest.h"
#include "records/grow/class_statistics.h"
#include "records/grow/sample.h"
#include "records/grow/split.h"
#include "records/grow/target_statistics.h"

namespace fernwood::records {

/// Rank of NaN: above every other.
template <typename Rank>
inline constexpr Rank kUnknownRank = std::numeric_limits<Rank>::max();

/// Values of an attribute, replaced by their index among its distinct values: tests of ranks split records exactly as
/// tests of values, and small whole numbers are counted and sorted faster. 0 and -0 are equal.
struct RankColumn {
  /// [record] In as few bytes as possible, since training is bound by reading them.
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> ranks;
  std::vector<float> values;  ///< [rank] Ascending.
  bool has_unknown = false;   ///< Whether a record has NaN.
};

/// [attribute]
using RankedValues = std::vector<RankColumn>;

RankedValues rank_values(const RecordView& records, ThreadPool& pool);

/// The samples of a node, for which a split is searched.
template <typename Totals>
struct NodeSamples {
  std::span<const Sample> samples;
  Totals totals;
};

/// Whether a split sends a value left, by its rank.
template <typename Rank>
bool sends_left(const Split& split, Rank value_rank) {
  return value_rank == kUnknownRank<Rank> ? split.unknown_left : value_rank <= split.rank;
}

/// Searches one attribute for its best test. Holds the memory for it, so each thread needs its own.
template <typename Statistics>
class SplitSearch {
 public:
  using Cell = typename Statistics::Cell;
  using Node = NodeSamples<typename Statistics::Totals>;

  /// @param min_leaf_samples  Minimum weight of the samples on each side.
  Split find(const Node& node, const RankedValues& table, std::size_t attribute, const Statistics& statistics,
             std::int64_t min_leaf_samples);

 private:
  Split best_boundary(const Node& node, const std::vector<float>& values, const Statistics& statistics,
                      std::int64_t min_leaf_samples, bool unknown_left);
  template <typename Visit>
  void visit_cells(const Visit& visit) const;
  template <typename Visit>
  void visit_keys(const Node& node, const Statistics& statistics, const Visit& visit) const;
  void gather(const Node& node, const RankColumn& column, const Statistics& statistics);
  template <typename Rank>
  void count_values(const Node& node, const Rank* ranks, const Statistics& statistics, bool has_unknown);
  template <typename Rank>
  void sort_values(const Node& node, const Rank* ranks, const Statistics& statistics, bool has_unknown);

  std::size_t num_cells_ = 0, num_values_ = 0;
  std::size_t num_different_ = 0;            ///< Number of distinct values of the samples, without NaN.
  bool counted_ = false;                     ///< Otherwise sorted.
  std::vector<Cell> histogram_;              ///< [value][cell]
  std::vector<std::uint64_t> keys_, other_;  ///< [sample] Rank in the upper half, Statistics::key_of() in the lower.
  std::span<std::uint64_t> sorted_;
  std::vector<Cell> unknown_;  ///< [cell] Of samples whose value is NaN.
  std::int64_t num_unknown_ = 0;
  typename Statistics::Memory memory_;
};

extern template class SplitSearch<ClassStatistics<GiniTerms>>;
extern template class SplitSearch<ClassStatistics<EntropyTerms>>;
extern template class SplitSearch<TargetStatistics>;

}  // namespace fernwood::records
