// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

// LightGBM, scikit-learn's histogram boosting, and ONNX and Treelite with 64-bit thresholds compare 64-bit values;
// other libraries round both to 32 bits. Values that differ only in 64 bits, such as seconds since 1970, are
// represented by their ranks: the number of thresholds below the value.

/// A forest over ranks of 64-bit values. Categories, for which 32 bits suffice, remain whole numbers.
struct WideForest {
  /// @param wide  RecordForest::is_wide(). @throws Error(kModel) if it tests an attribute as number and as category, or
  /// has 2^24 thresholds of an attribute.
  explicit WideForest(const RecordForest& wide);

  /// What `forest` tests for a value of an attribute; NaN for an unknown one.
  float rank_of(std::size_t attribute, double value) const;

  RecordForest forest;                          ///< Its thresholds are indices into `thresholds`.
  std::vector<std::vector<double>> thresholds;  ///< [attribute] Strictly ascending.
  std::vector<bool> is_category;                ///< [attribute] It is tested for sets, not thresholds.
  std::vector<MissingValues> missing;           ///< See ColumnRules; `forest` has none.
};

/// A view of 64-bit records in memory; steps are in doubles.
struct WideView {
  const double* data = nullptr;
  std::size_t num_records = 0, num_attributes = 0;
  std::ptrdiff_t record_step = 0, attribute_step = 1;
};

/// Converts values to ranks, on several threads for many records.
/// @param ranks  Written. @return The records for evaluators of WideForest::forest: a view of both arguments.
/// @throws Error(kData) if the number of attributes differs.
RecordView rank_records(const WideForest& wide, const WideView& records, int threads, std::vector<float>& ranks);

}  // namespace fernwood::records
