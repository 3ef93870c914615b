// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/cache_folder.h"

#include <cstdlib>

namespace fernwood {

std::filesystem::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  if (const auto own = variable("FERNWOOD_CACHE"); !own.empty()) return own;
  if (const auto caches = variable("XDG_CACHE_HOME"); !caches.empty()) return caches / "fernwood";
  if (const auto home = variable("HOME"); !home.empty()) return home / ".cache" / "fernwood";
  return {};
}

}  // namespace fernwood
