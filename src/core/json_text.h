// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/json_field.h"
#include "fernwood/core/error.h"

// All JSON output goes through these functions: nlohmann's dump() throws its own exception at the first string that is
// not UTF-8, such as a path, a name from a foreign file or an answer to a browser. (scripts/check_layers knows this
// file.)

namespace fernwood {

/// A JSON value as text, for messages, answers, reports and comparisons. Invalid UTF-8 becomes U+FFFD.
/// @param indent  Spaces per level; negative: all on one line.
template <typename Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

/// As json_text(), in ASCII, for terminals and pages of unknown encoding.
template <typename Json>
std::string ascii_json_text(const Json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

/// As json_text(), for files whose strings serve as keys later, so that none may change.
/// @throws Error(place.kind) for a string that is not UTF-8.
template <typename Json>
std::string exact_json_text(const Json& value, const ErrorContext& place, int indent = -1) {
  try {
    return value.dump(indent);
  } catch (const typename Json::exception&) {
    throw Error(place.kind, place.file + ": a name or another text is not UTF-8" + place.remedy);
  }
}

}  // namespace fernwood
