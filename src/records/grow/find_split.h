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
#include "records/grow/split.h"

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

/// A record as a tree sees it.
struct Sample {
  std::uint32_t record;
  std::uint16_t label;
  std::uint16_t weight;  ///< How often it was drawn.
};

/// What a split is searched for.
struct NodeSamples {
  std::span<const Sample> samples;
  std::span<const std::uint32_t> counts;  ///< [class] Sums of weights.
};

/// Side of a split that a value falls on, by its rank: false is right.
template <typename Rank>
bool sends_left(const Split& split, Rank value_rank) {
  return value_rank == kUnknownRank<Rank> ? split.unknown_left : value_rank <= split.rank;
}

/// Searches one attribute for its best test; holds the memory that this takes, so one per thread.
class SplitSearch {
 public:
  /// @param min_leaf_samples  No side gets fewer.
  template <typename Terms>
  Split find(const NodeSamples& node, const RankedValues& table, std::size_t attribute, const Terms& terms,
             std::int64_t min_leaf_samples);

 private:
  template <typename Terms>
  Split best_boundary(const NodeSamples& node, const std::vector<float>& values, const Terms& terms,
                      std::int64_t min_leaf_samples, bool unknown_left);
  template <typename Visit>
  void visit_counts(const Visit& visit) const;
  template <typename Visit>
  void visit_keys(const Visit& visit) const;
  void gather(const NodeSamples& node, const RankColumn& column);
  template <typename Rank>
  void count_values(const NodeSamples& node, const Rank* ranks, bool has_unknown);
  template <typename Rank>
  void sort_values(const NodeSamples& node, const Rank* ranks, bool has_unknown);

  std::size_t num_classes_ = 0, num_values_ = 0;
  std::size_t num_different_ = 0;            ///< Values that samples have, NaN left out.
  bool counted_ = false;                     ///< Else sorted.
  std::vector<std::uint32_t> histogram_;     ///< [value][class] Sums of weights.
  std::vector<std::uint64_t> keys_, other_;  ///< [sample] Rank, label and weight, from the highest bits.
  std::span<std::uint64_t> sorted_;
  std::vector<std::uint32_t> unknown_;  ///< [class] Sums of weights of samples whose value is NaN.
  std::int64_t num_unknown_ = 0;
  std::vector<std::int64_t> left_, right_;  ///< [class]
};

extern template Split SplitSearch::find(const NodeSamples&, const RankedValues&, std::size_t, const GiniTerms&,
                                        std::int64_t);
extern template Split SplitSearch::find(const NodeSamples&, const RankedValues&, std::size_t, const EntropyTerms&,
                                        std::int64_t);

}  // namespace fernwood::records
