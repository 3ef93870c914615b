// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// JSON of results: one object, as programs and functions with "json" in their name return it.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/json_text.h"
#include "fernwood/core/confusion.h"
#include "fernwood/core/option_table.h"

namespace fernwood {

using Json = nlohmann::ordered_json;  // it writes NaN as null

/// Indented by two spaces, with a final newline. Invalid UTF-8, as in file names, is replaced.
inline std::string dump(const Json& json) { return json_text(json, 2) + "\n"; }

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}
/// Null for an empty text.
inline Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
template <typename Element>
Json or_null(const std::vector<Element>& list) {
  return list.empty() ? Json() : Json(list);
}

/// [truth][prediction] counts, without void.
inline Json confusion_json(const Confusion& confusion) {
  Json rows = Json::array();
  for (std::size_t t = 0; t < confusion.num_classes(); ++t) {
    Json& row = rows.emplace_back(Json::array());
    for (std::size_t p = 0; p < confusion.num_classes(); ++p) row.push_back(confusion.count(t, p));
  }
  return rows;
}

/// The options that a model file stores.
template <typename Options>
nlohmann::json model_json(OptionTable<Options> table, const Options& options) {
  nlohmann::json json = nlohmann::json::object();
  for (const Option<Options>& row : table) {
    if (!row.is_stored || (row.stored_if != nullptr && !row.stored_if(options))) continue;
    std::visit(
        [&](const auto& value) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
            json[option_key(row.name)] = value;
        },
        row.get(options));
  }
  return json;
}

}  // namespace fernwood
