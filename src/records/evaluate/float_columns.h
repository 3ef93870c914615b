// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/records/record_forest.h"
#include "records/evaluate/block_values.h"

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

}  // namespace fernwood::records
