// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <nlohmann/json.hpp>

#include "fernwood/core/option_table.h"

namespace fernwood {

/// The options that change the model, under their keys in model files.
template <typename Options>
nlohmann::json model_json(OptionTable<Options> table, const Options& options) {
  nlohmann::json json = nlohmann::json::object();
  for (const Option<Options>& row : table) {
    if (row.model_key.empty() || (row.is_stored != nullptr && !row.is_stored(options))) continue;
    std::visit(
        [&](const auto& value) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
            json[std::string(row.model_key)] = value;
        },
        row.get(options));
  }
  return json;
}

}  // namespace fernwood
