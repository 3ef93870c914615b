// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/json_field.h"
#include "fernwood/records/column_rules.h"

namespace fernwood::records {

// Column rules in the header of a model file.

/// Features that readers of files with column rules must support, and those of files with tables of categories.
inline constexpr const char* kColumnsFeature = "columns";
inline constexpr const char* kTablesFeature = "category-tables";
/// The same for sets that treat values with a fraction as negative ones.
inline constexpr const char* kExactSetsFeature = "exact sets";
bool have_exact_sets(const ColumnRules& rules);

/// @throws Error(kModel) for a number that is not representable in 32 bits.
float float_in(const JsonField& field);

nlohmann::json encode_columns(const ColumnRules& rules);

/// Numbers of keys and columns of a table.
struct TableSize {
  std::uint64_t num_keys = 0, num_columns = 0;

  std::uint64_t num_values() const { return (num_keys + 1) * num_columns; }
};

/// Rules whose sets have no words yet, and whose tables have no keys and values.
struct ColumnsHeader {
  ColumnRules rules;
  std::vector<std::uint64_t> num_words;  ///< [set]
  std::vector<TableSize> table_sizes;    ///< [table]
};
/// @throws Error(kModel) naming the field that breaks a rule.
ColumnsHeader decode_columns(const JsonField& field);

}  // namespace fernwood::records
