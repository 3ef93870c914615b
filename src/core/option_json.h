// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <nlohmann/json.hpp>

#include "fernwood/core/option_table.h"

namespace fernwood {

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
