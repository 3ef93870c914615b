// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/tree_arrays.h"

namespace fernwood::records {

// LightGBM and scikit-learn's histogram boosting compare 64-bit values with 64-bit thresholds; other libraries round
// both to 32 bits. Values that differ only in 64 bits, such as seconds since 1970, are represented by their ranks: the
// number of thresholds below the value.

/// A forest over ranks of 64-bit values. Categories, for which 32 bits suffice, remain whole numbers.
struct WideForest {
  RecordForest forest;                          ///< Its thresholds are indices into `thresholds`.
  std::vector<std::vector<double>> thresholds;  ///< [attribute] Strictly ascending.
  std::vector<std::uint16_t> categories;        ///< Attributes, ascending, that are tested for sets, not thresholds.
  std::vector<MissingValues> missing;           ///< See ColumnRules; the forest itself has none.
};

/// import_text_of() for a LightGBM model, exact for 64-bit records.
/// @throws Error(kModel) also for models of other libraries.
WideForest import_wide_text(std::string_view text, const std::string& name, const ImportOptions& options = {});

/// import_arrays() for trees that compare 64-bit values, likewise exact.
WideForest import_wide_arrays(const ForestArrays& arrays, const std::string& name, const ImportOptions& options = {});

/// A view of 64-bit records in memory; steps are in doubles.
struct WideView {
  const double* data = nullptr;
  std::size_t num_records = 0, num_attributes = 0;
  std::ptrdiff_t record_step = 0, attribute_step = 1;
};

/// Converts values to the ranks that WideForest::forest tests. NaN stays NaN.
/// @param ranks  [attribute][record], written. @throws Error(kData) if the number of attributes differs.
void rank_records(const WideForest& wide, const WideView& records, ThreadPool& pool, float* ranks);

/// sum_leaves() for many records; linear leaves use the values themselves, not their ranks.
/// @param leaves  [record][tree] From ValueEvaluator::find_leaves(). @param num_trees  Those of whole iterations.
/// @param sums  [record][output], written.
/// @throws Error(kData) if the number of attributes differs, Error(kUsage) as first_iterations().
void sum_wide_leaves(const WideForest& wide, const WideView& records, const std::int32_t* leaves, std::size_t num_trees,
                     ThreadPool& pool, double* sums);

}  // namespace fernwood::records
