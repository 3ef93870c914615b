// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/json_difference.h"

#include <nlohmann/json.hpp>

namespace fernwood {

std::string json_difference(const std::string& was, const std::string& is) {
  const nlohmann::json before = nlohmann::json::parse(was), now = nlohmann::json::parse(is);
  std::string difference;
  for (const auto& [key, value] : now.items())
    if (!before.contains(key) || before[key] != value)
      difference +=
          " " + key + " was " + (before.contains(key) ? before[key].dump() : "absent") + ", is " + value.dump() + ";";
  return difference;
}

}  // namespace fernwood
