// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The tables of options as options of a command.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/option_table.h"

namespace fernwood::apps {

/// Takes an option that is given, by its name and the text of its value.
using TakeOption = std::function<void(const std::string& name, const std::string& text)>;

/// "gini*|entropy": the values that an option takes, with a star behind the default.
std::string choices_text(const std::vector<std::string>& choices, const std::string& standard);

/// Adds an option for a row.
void add_row(CLI::App& command, const OptionInfo& row, const TakeOption& take);

/// Adds the options of a table. @param defaults  Shown by the help. @param but  Names that the command does not have.
template <typename Options>
void add_table(CLI::App& command, const Options& defaults, const TakeOption& take,
               std::initializer_list<std::string_view> but = {}) {
  for (const Option<Options>& row : Options::table())
    if (std::ranges::find(but, row.name) == but.end()) add_row(command, describe_option(row, defaults), take);
}

/// The same for options that are set as they come.
template <typename Options>
void add_table(CLI::App& command, Options& options, std::initializer_list<std::string_view> but = {}) {
  const TakeOption set = [&options](const std::string& name, const std::string& text) {
    set_option(name, text, options);
  };
  add_table(command, std::as_const(options), set, but);
}

/// The same for options that depend on each other, as a preset and what changes it: all are kept, for set_options().
inline TakeOption append_to(OptionTexts& given) {
  return [&given](const std::string& name, const std::string& text) { given.emplace_back(name, text); };
}

}  // namespace fernwood::apps
