// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Options shared by several subcommands.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fernwood/core/option_table.h"

namespace fernwood::apps {

/// A validator for options whose negative values would wrap around: an error message for `text`, or empty.
std::string check_not_negative(const std::string& text);

/// An option for a number, whose default is shown in the help.
template <typename Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value, const std::string& help) {
  CLI::Option* option = command.add_option(name, value, help);
  if constexpr (std::is_unsigned_v<Number>) option->check(check_not_negative);
  return option->option_text((std::is_integral_v<Number> ? "N (" : "X (") + CLI::detail::to_string(value) + ")");
}

/// --model, which is required.
void add_model_option(CLI::App& command, std::filesystem::path& model);
/// -j and --threads.
void add_threads_option(CLI::App& command, int& threads);
/// --json, for output in JSON.
void add_json_flag(CLI::App& command, bool& json);

/// Options that have no effect unless one of their partners is given.
struct Dependents {
  std::vector<std::string> names, partners;  ///< With dashes. A partner may have a value: "--schedule adaptive".
};
/// For a command's callback. @throws Error(kUsage) if one of the options is given, on the command line or in a file of
/// options, without any of its partners.
void check_dependents(const CLI::App& command, const std::vector<Dependents>& all);

// Adds tables of options to a command.

/// Receives an option that is given, by its name and the text of its value.
using TakeOption = std::function<void(const std::string& name, const std::string& text)>;

/// Adds an option for a row.
void add_row(CLI::App& command, const OptionInfo& row, const TakeOption& take);

/// Adds the options of a table. @param defaults  Shown in the help. @param but  Names that the command does not have.
template <typename Options>
void add_table(CLI::App& command, const Options& defaults, const TakeOption& take,
               std::initializer_list<std::string_view> but = {}) {
  for (const Option<Options>& row : Options::table())
    if (std::ranges::find(but, row.name) == but.end()) add_row(command, describe_option(row, defaults), take);
}

/// Sets each option as soon as it is parsed. @param options  Must outlive the command.
template <typename Options>
TakeOption set_in(Options& options) {
  return [&options](const std::string& name, const std::string& text) { set_option(name, text, options); };
}

/// Adds the options of a table, which are set as soon as they are parsed.
template <typename Options>
void add_table(CLI::App& command, Options& options, std::initializer_list<std::string_view> but = {}) {
  add_table(command, std::as_const(options), set_in(options), but);
}

/// Adds only the named options of a table, without headings.
template <typename Options, typename Names = std::initializer_list<std::string_view>>
void add_rows(CLI::App& command, const Options& defaults, const TakeOption& take, const Names& names) {
  for (const Option<Options>& row : Options::table()) {
    if (std::ranges::find(names, row.name) == names.end()) continue;
    OptionInfo info = describe_option(row, defaults);
    info.group.clear();
    add_row(command, info, take);
  }
}
template <typename Options, typename Names = std::initializer_list<std::string_view>>
void add_rows(CLI::App& command, Options& options, const Names& names) {
  add_rows(command, std::as_const(options), set_in(options), names);
}

/// Adds the option of a row with a help text specific to the command.
template <typename Options>
void add_row(CLI::App& command, Options& options, const std::string& name, const std::string& help) {
  OptionInfo row = describe_option(*find_option(Options::table(), name), options);
  row.help = help;
  row.group = {};
  add_row(command, row, set_in(options));
}

/// For options that depend on each other, such as a preset and its changes: all are stored, for set_options().
inline TakeOption append_to(OptionTexts& given) {
  return [&given](const std::string& name, const std::string& text) { given.emplace_back(name, text); };
}

}  // namespace fernwood::apps
