// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fernwood::apps {

/// The output of a command with --json: indented by two spaces, with a final newline. Invalid UTF-8, as in file names,
/// becomes U+FFFD.
template <typename Json>
std::string json_result(const Json& value) {
  return value.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fernwood::apps
