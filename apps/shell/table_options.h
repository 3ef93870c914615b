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

#include "fernwood/core/option_table.h"

namespace fernwood::apps {

/// Takes an option that is given, by its name and the text of its value.
using TakeOption = std::function<void(const std::string& name, const std::string& text)>;

/// Adds an option for a row.
void add_row(CLI::App& command, const OptionInfo& row, const TakeOption& take);

/// Adds the options of a table. @param defaults  Shown by the help. @param but  Names that the command does not have.
template <typename Options>
void add_table(CLI::App& command, const Options& defaults, const TakeOption& take,
               std::initializer_list<std::string_view> but = {}) {
  for (const Option<Options>& row : Options::table())
    if (std::ranges::find(but, row.name) == but.end()) add_row(command, describe_option(row, defaults), take);
}

/// Adds the options of some rows of a table. @param names  Of rows that it has.
template <typename Options>
void add_rows(CLI::App& command, const Options& defaults, const TakeOption& take,
              std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    add_row(command, describe_option(*find_option(Options::table(), std::string(name)), defaults), take);
}

/// Adds the option of a row that means something of its own to a command.
template <typename Options>
void add_row(CLI::App& command, Options& options, const std::string& name, const std::string& help) {
  OptionInfo row = describe_option(*find_option(Options::table(), name), options);
  row.help = help;
  row.group = {};
  add_row(command, row,
          [&options](const std::string& given, const std::string& text) { set_option(given, text, options); });
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
