// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/json_field.h"
#include "fernwood/core/error.h"

// All JSON that is written goes through here: nlohmann's dump() throws an exception of its own at the first text that
// is not UTF-8, which paths, names of others and answers to a browser may be. (scripts/check_layers knows this file.)

namespace fernwood {

/// A JSON value as text: for messages, answers, reports and what is compared. What is not UTF-8 becomes U+FFFD.
/// @param indent  Spaces a level; below 0 all is one line.
template <typename Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

/// The same in ASCII, for terminals and pages of whatever encoding.
template <typename Json>
std::string ascii_json_text(const Json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

/// The same for a file by whose texts something is found again, so that none may change.
/// @throws Error(place.kind) for a text that is not UTF-8.
template <typename Json>
std::string exact_json_text(const Json& value, const ErrorContext& place, int indent = -1) {
  try {
    return value.dump(indent);
  } catch (const typename Json::exception&) {
    throw Error(place.kind, place.file + ": a name or another text is not UTF-8" + place.remedy);
  }
}

}  // namespace fernwood
