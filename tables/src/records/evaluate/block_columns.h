// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/records/record_forest.h"
#include "records/evaluate/evaluation_kernels.h"
#include "records/evaluate/rank_table.h"

namespace fernwood::records {

/// Copies blocks of records into columns: those of the attributes that the forest tests, and some of their neighbours.
class FloatColumns {
 public:
  explicit FloatColumns(const RecordForest& forest);

  /// @param columns  One for each attribute of the records; column a receives attribute a.
  BlockValues<float> fill(const RecordView& block, BlockColumns<float>& columns) const;

 private:
  std::vector<std::uint32_t> asked_;  ///< Attributes that the forest tests.
  std::vector<std::uint32_t> fours_;  ///< First attributes of groups of four that cover all of asked_, if any exist.
};

/// Converts blocks of records to columns of ranks, without branches where few thresholds share a bucket.
class RankColumns {
 public:
  explicit RankColumns(const RankTable& table);

  std::size_t num_columns() const { return table_.attributes.size(); }
  /// Whether the block has a NaN in an attribute whose tests disagree on NaN: then ranks cannot represent its values.
  bool meets_unknown(const RecordView& block) const;
  /// Fills a column for each tested attribute, in the table's order. @param columns  num_columns() of them, with room
  /// for a multiple of kRankTile records.
  template <typename T>
  BlockValues<T> fill(const RecordView& block, BlockColumns<T>& columns) const;
  /// Fills one column. @param values  One value every `step` floats. @param ranks  Room for a multiple of kRankTile.
  template <typename T>
  void fill_column(std::size_t slot, const float* values, std::size_t step, std::size_t num_values, T* ranks) const;

 private:
  RankTable table_;  ///< The thresholds of each attribute are followed by some that no value exceeds.
  const EvaluationKernels& kernels_;
  std::vector<std::uint32_t> most_in_bucket_;  ///< [slot] Largest number of thresholds in a bucket.
  std::vector<std::uint32_t> disputed_;        ///< Attributes whose tests disagree on NaN.
};

}  // namespace fernwood::records
