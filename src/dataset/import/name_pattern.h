// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Files of frames by patterns: "rgb/{}.jpg" and "depth/{}.png".

#include <filesystem>
#include <map>
#include <string>

#include "fernwood/core/option_sentence.h"

namespace fernwood::dataset {

/// [name] The files below a folder that a pattern describes: {} stands for the frame's name, which may reach over
/// folders; * for anything within one. Of several files of a name the first counts. In the order of the names, numbers
/// in them by value, so that 2 is before 10.
struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};
using FilesByName = std::map<std::string, std::filesystem::path, NaturalOrder>;

/// @param pattern  With one {}. @param what  That is, for messages. @throws Error(kData) where no file matches.
FilesByName match_files(const std::filesystem::path& root, const std::string& pattern, const OptionSentence& what);
/// For a pattern that an option is. @throws OptionError for one without {} or with several, Error(kData).
FilesByName match_option(const std::filesystem::path& root, const std::string& option, const std::string& pattern);

}  // namespace fernwood::dataset
