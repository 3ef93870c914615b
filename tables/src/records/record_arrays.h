// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model_container.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

// The arrays of a model file of records: docs/reference/model_file.md.

/// Sizes of the parts of the arrays that belong to one tree.
struct RecordTreeSize {
  std::uint64_t num_nodes, num_leaves, first_output, width;
  bool is_linear = false;  ///< The leaves are linear functions.
};

/// Number of elements in the arrays of all trees, sets and tables, and the presence of optional arrays.
struct ArraySizes {
  std::uint64_t nodes = 0, leaves = 0, values = 0, words = 0, keys = 0, table_values = 0;
  std::uint64_t linear = 0, terms = 0;  ///< Linear leaves, and their terms.
  bool has_covers = false, has_numbers = false, is_wide = false;
};

/// The arrays of a file; each holds all trees, one after another.
struct RecordArrays {
  ModelArray nodes;
  std::optional<ModelArray> leaf_values, float_values, covers, set_words, table_keys, table_values, leaf_numbers,
      wide_thresholds;
  std::optional<ModelArray> linear_constants, linear_terms, linear_attributes, linear_coefficients;

  /// The arrays that are present, in their order.
  template <typename Arrays>
  static auto list(Arrays& arrays) {
    std::vector<decltype(&arrays.nodes)> listed = {&arrays.nodes};
    for (auto* each : {&arrays.leaf_values, &arrays.float_values, &arrays.covers, &arrays.set_words, &arrays.table_keys,
                       &arrays.table_values, &arrays.leaf_numbers, &arrays.wide_thresholds, &arrays.linear_constants,
                       &arrays.linear_terms, &arrays.linear_attributes, &arrays.linear_coefficients})
      if (*each) listed.push_back(&**each);
    return listed;
  }
};

/// Assigns positions in the file; without checksums.
RecordArrays place_record_arrays(const RecordForest& forest, const ArraySizes& sizes);

/// Linear leaves of all trees as arrays.
struct LinearArrays {
  std::vector<double> constants;         ///< [leaf]
  std::vector<std::uint32_t> num_terms;  ///< [leaf]
  std::vector<std::uint16_t> attributes;
  std::vector<double> coefficients;
};

LinearArrays linear_arrays_of(const RecordForest& forest);
/// Sets the linear leaves of trees that have none. @throws Error(place.kind) when the number of terms does not match.
void take_linear_leaves(const std::vector<RecordTreeSize>& sizes, const LinearArrays& arrays, RecordForest& forest,
                        const ErrorContext& place);

}  // namespace fernwood::records
