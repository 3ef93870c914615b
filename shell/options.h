// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Options shared by several subcommands.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

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

}  // namespace fernwood::apps
