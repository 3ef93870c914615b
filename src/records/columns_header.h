// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/json_field.h"
#include "fernwood/records/column_rules.h"

namespace fernwood::records {

// Column rules in the header of a model file.

/// What readers of files with column rules must understand, and of those with tables of categories.
inline constexpr const char* kColumnsFeature = "columns";
inline constexpr const char* kTablesFeature = "category-tables";
/// Likewise where sets take values with a fraction for negative ones.
inline constexpr const char* kExactSetsFeature = "exact sets";
bool have_exact_sets(const ColumnRules& rules);

/// @throws Error(kModel) for a number that 32 bits do not hold.
float float_in(const JsonField& field);

nlohmann::json encode_columns(const ColumnRules& rules);

/// Keys and columns of a table.
struct TableSize {
  std::uint64_t num_keys = 0, num_columns = 0;

  std::uint64_t num_values() const { return (num_keys + 1) * num_columns; }
};

/// Rules whose sets are still without words, and tables without keys and values.
struct ColumnsHeader {
  ColumnRules rules;
  std::vector<std::uint64_t> num_words;  ///< [set]
  std::vector<TableSize> table_sizes;    ///< [table]
};
/// @throws Error(kModel) naming the field that breaks a rule.
ColumnsHeader decode_columns(const JsonField& field);

}  // namespace fernwood::records
