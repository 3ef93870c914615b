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

// LightGBM and scikit-learn's histogram boosting compare records of 64 bits with thresholds of 64 bits; other libraries
// make 32 bits of both. What 32 bits cannot tell apart, such as seconds since 1970, their ranks can: the number of
// thresholds that a value is above.

/// A forest whose records are ranks of values of 64 bits; of categories, of which 32 bits are enough, whole numbers.
struct WideForest {
  RecordForest forest;                          ///< Its thresholds are places among `thresholds`.
  std::vector<std::vector<double>> thresholds;  ///< [attribute] Ascending, no two the same.
  std::vector<std::uint16_t> categories;        ///< Attributes, ascending, of which tests ask sets, no thresholds.
  std::vector<MissingValues> missing;           ///< As of ColumnRules; the forest itself has none.
};

/// import_text_of() of a model of LightGBM, without loss for records of 64 bits.
/// @throws Error(kModel) also for models of other libraries.
WideForest import_wide_text(std::string_view text, const std::string& name, const ImportOptions& options = {});

/// import_arrays() of trees that compare so, likewise.
WideForest import_wide_arrays(const ForestArrays& arrays, const std::string& name, const ImportOptions& options = {});

/// Records of 64 bits in memory, in steps of numbers; owns nothing.
struct WideView {
  const double* data = nullptr;
  std::size_t num_records = 0, num_attributes = 0;
  std::ptrdiff_t record_step = 0, attribute_step = 1;
};

/// The records that WideForest::forest is asked for. NaN stays NaN.
/// @param ranks  [attribute][record], written. @throws Error(kData) when the number of attributes differs.
void rank_records(const WideForest& wide, const WideView& records, ThreadPool& pool, float* ranks);

/// sum_leaves(): linear leaves ask values themselves, and not their ranks.
/// @param leaves  [record][tree] As ValueEvaluator::find_leaves() gives them. @param num_trees  Of whole iterations.
/// @param sums  [record][output], written.
/// @throws Error(kData) when the number of attributes differs, Error(kUsage) as first_iterations().
void sum_wide_leaves(const WideForest& wide, const WideView& records, const std::int32_t* leaves, std::size_t num_trees,
                     ThreadPool& pool, double* sums);

}  // namespace fernwood::records
