// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/records/record_forest.h"
#include "records/evaluate/evaluation_kernels.h"
#include "records/evaluate/rank_table.h"

namespace fernwood::records {

/// Brings blocks of records into columns: those of the attributes that tests of a forest ask, and some beside them.
class FloatColumns {
 public:
  explicit FloatColumns(const RecordForest& forest);

  /// @param columns  As many as attributes; column a is of attribute a.
  BlockValues<float> fill(const RecordView& block, BlockColumns<float>& columns) const;

 private:
  std::vector<std::uint32_t> asked_;  ///< Attributes.
  std::vector<std::uint32_t> fours_;  ///< Attributes that begin four which include all asked; empty: there are no four.
};

/// Turns blocks of records into columns of ranks, without branches where few thresholds share a bucket.
class RankColumns {
 public:
  explicit RankColumns(const RankTable& table);

  std::size_t num_columns() const { return table_.attributes.size(); }
  /// Whether a value is NaN where tests disagree on what follows: then ranks cannot stand for the block's values.
  bool meets_unknown(const RecordView& block) const;
  /// A column for each attribute that tests ask, in the table's order. @param columns  num_columns() of them, with room
  /// for a multiple of kRankTile records.
  template <typename T>
  BlockValues<T> fill(const RecordView& block, BlockColumns<T>& columns) const;
  /// One column. @param values  A value every `step` floats. @param ranks  Room for a multiple of kRankTile of them.
  template <typename T>
  void fill_column(std::size_t slot, const float* values, std::size_t step, std::size_t num_values, T* ranks) const;

 private:
  RankTable table_;  ///< With some thresholds behind those of each attribute that nothing exceeds.
  const EvaluationKernels& kernels_;
  std::vector<std::uint32_t> most_in_bucket_;  ///< [slot]
  std::vector<std::uint32_t> disputed_;        ///< Attributes whose tests disagree on NaN.
};

}  // namespace fernwood::records
