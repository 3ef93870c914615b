// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/option_sentence.h"

namespace fernwood {

/// What probably is not as the user meant it, though the work goes on.
struct Warning {
  std::string id;       ///< For programs that act on some of them, and never changes: "class-imbalance".
  OptionSentence text;  ///< A sentence for the user.
};

/// Adds sentences that are about the same thing.
inline void add_warnings(std::vector<Warning>& warnings, const char* id, std::vector<std::string> sentences) {
  for (std::string& sentence : sentences) warnings.push_back({id, std::move(sentence)});
}

/// Worded for the command line.
inline std::vector<std::string> texts_of(const std::vector<Warning>& warnings) {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) texts.push_back(warning.text.on_command_line());
  return texts;
}

}  // namespace fernwood
