// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/config_file.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

toml::table ConfigFile::parse() const {
  const std::vector<std::uint8_t> bytes = read_file(path_);
  try {
    return toml::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::kData, path_.string() + ":" + std::to_string(error.source().begin.line) +
                                      ": is not valid TOML: " + std::string(error.description()) +
                                      "; see docs/datasets.md");
  }
}

void ConfigFile::fail(const toml::node& node, const std::string& what) const {
  throw Error(ErrorKind::kData, path_.string() + ":" + std::to_string(node.source().begin.line) + ": " + what);
}

void ConfigFile::check_key(const toml::key& key, const toml::node& node, std::span<const std::string_view> known,
                           std::span<const std::string_view> also_known) const {
  for (const auto& names : {known, also_known})
    if (std::ranges::find(names, key.str()) != names.end()) return;
  fail(node, "the key \"" + std::string(key.str()) + "\" is unknown" + known_names(key.str(), known));
}

std::string known_names(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(word, known);
  std::string all;
  for (const std::string_view candidate : known) all += (all.empty() ? "" : ", ") + std::string(candidate);
  return (nearest.empty() ? "" : ", did you mean \"" + std::string(nearest) + "\"?") + "; known are " + all;
}

}  // namespace fernwood::dataset
