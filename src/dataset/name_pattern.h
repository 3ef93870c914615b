// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Files of frames by patterns: "rgb/{}.jpg" and "depth/{}.png".

#include <filesystem>
#include <map>
#include <string>

#include "fernwood/core/error.h"

namespace fernwood::dataset {

/// [name] The files below a folder that match a pattern: {} matches the frame's name, which may span folders; * matches
/// any text within one folder. Sorted by name, with numbers compared by value, so that 2 precedes 10.
struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};
using FilesByName = std::map<std::string, std::filesystem::path, NaturalOrder>;

/// @param pattern  With one {}. @param what  Describes the pattern in messages. @throws Error(kData) if no file
/// matches, or two files have one name.
FilesByName match_files(const std::filesystem::path& root, const std::string& pattern, const OptionSentence& what);
/// For a pattern given as an option. @throws OptionError for a pattern without {} or with several, Error(kData).
FilesByName match_option(const std::filesystem::path& root, const std::string& option, const std::string& pattern);

}  // namespace fernwood::dataset
