// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/option_sentence.h"

namespace fernwood {

/// A probable mistake of the user that does not stop the work.
struct Warning {
  std::string id;       ///< Stable identifier, for programs that handle certain warnings: "class-imbalance".
  OptionSentence text;  ///< A sentence for the user.
};

/// Adds warnings with the same identifier.
inline void add_warnings(std::vector<Warning>& warnings, const char* id, std::vector<std::string> sentences) {
  for (std::string& sentence : sentences) warnings.push_back({id, std::move(sentence)});
}

/// Texts of warnings, worded for the command line.
inline std::vector<std::string> texts_of(const std::vector<Warning>& warnings) {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) texts.push_back(warning.text.on_command_line());
  return texts;
}

}  // namespace fernwood
