// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string_view>

#include "core/json_field.h"
#include "records/import/source_model.h"

namespace fernwood::records {

// One reader for each library that models come from; a source file each. Each throws Error(kModel).

/// What scripts/export_sklearn writes.
SourceModel read_sklearn(const JsonField& root, const ModelPlace& place);
/// XGBoost's JSON, of versions 1.7 to 3.
SourceModel read_xgboost(const JsonField& root, const ModelPlace& place);
/// Treelite's JSON, of version 4.
SourceModel read_treelite(const JsonField& root, const ModelPlace& place);
/// LightGBM's text, of format v3 or v4.
SourceModel read_lightgbm(std::string_view text, const ModelPlace& place);

inline constexpr const char* kSklearnFormat = "fernwood sklearn export";
inline constexpr std::size_t kMostTrees = 1u << 24;
inline constexpr std::size_t kMostNodes = 0x7fffffff;

/// A whole number from a list that JSON gave as numbers. @throws Error(kModel) when it is none of 32 bits.
std::int32_t whole_number(double value, const char* what, const ModelPlace& place);

}  // namespace fernwood::records
