// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/json_field.h"
#include "fernwood/records/column_rules.h"

namespace fernwood::records {

// Column rules in the header of a model file.

/// What readers of files with column rules must understand.
inline constexpr const char* kColumnsFeature = "columns";

nlohmann::json encode_columns(const ColumnRules& rules);

/// Rules whose sets are still without words.
struct ColumnsHeader {
  ColumnRules rules;
  std::vector<std::uint64_t> num_words;  ///< [set]
};
/// @throws Error(kModel) naming the field that breaks a rule.
ColumnsHeader decode_columns(const JsonField& field);

}  // namespace fernwood::records
