// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace fernwood::dataset {

/// A dataset.toml: what its readers share. Failures are Error(kData) naming file and line.
class ConfigFile {
 public:
  explicit ConfigFile(std::filesystem::path path) : path_(std::move(path)) {}

  toml::table parse() const;
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const;
  /// Fails unless `key` is one of `known` or `also_known`; only the former are listed.
  void check_key(const toml::key& key, const toml::node& node, std::span<const std::string_view> known,
                 std::span<const std::string_view> also_known = {}) const;

 private:
  std::filesystem::path path_;
};

/// "; known are a, b", before it ", did you mean "a"?" where a word is near enough.
std::string known_names(std::string_view word, std::span<const std::string_view> known);

}  // namespace fernwood::dataset
