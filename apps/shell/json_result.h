// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fernwood::apps {

/// What a command prints with --json: indented by two spaces, with a final newline. What is not UTF-8, as file names
/// need not be, becomes U+FFFD.
template <typename Json>
std::string json_result(const Json& value) {
  return value.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fernwood::apps
