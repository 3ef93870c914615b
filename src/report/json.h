// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace fernwood::report {

using Json = nlohmann::ordered_json;  // it writes NaN as null

/// Indented by two spaces, with a final newline. File names need not be UTF-8, JSON must be.
inline std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}
/// Empty: null.
inline Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace fernwood::report
