// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"

namespace fernwood::apps {

// Checks of values that the command line library does not make.

/// The command line library takes other numbers and words for a flag's value as well, or fails without a sentence.
/// @throws OptionError.
void check_flag_value(const std::string& name, const std::string& text);

/// Checks the values of the flags of all commands, in --name=value and in the file of --config.
void restrict_flag_values(CLI::App& app, const std::shared_ptr<CLI::Config>& config);

/// Whether an option is one of some, by its name without dashes.
using NamesOption = bool (*)(const std::string& name);
/// Refuses empty paths, as of --record "$UNSET", which would count as an option that is not given.
/// @param may_be_empty  Exceptions; null: none.
void refuse_empty_paths(CLI::App& app, NamesOption may_be_empty);

/// Checks --no-name=value, which the command line library negates before its checks see it.
void check_negated_flags(const CLI::App& app, std::span<char* const> arguments);

/// A program of subcommands.
struct Program {
  std::string name;
  std::string description;
  std::string footer;
  std::string guide = {};  ///< Printed on standard error if there are no arguments, in place of an error.
  void (*add_commands)(CLI::App&) = nullptr;  ///< their work is done while the command line is parsed
  InputRule is_read = &is_kept_in;            ///< Files that outputs must not replace, as they belong to an input.
  NamesOption may_be_empty = nullptr;         ///< Options whose path may be empty; null: none.
};

/// Runs the program: logging, help, --version, --config, and exit codes of failures, including those before the command
/// line is parsed.
/// @return  The exit code: 0, an ErrorKind, or 1.
int run_program(const Program& program, int argc, char** argv);

// Commands that every program has.

void add_completion_command(CLI::App& app);
/// @param measure  What the program has measured on the processor; null: nothing.
void add_doctor_command(CLI::App& app, ProcessorFacts (*measure)() = nullptr);

/// Formats help texts in groups, wrapped to a width; required options are marked.
class HelpFormatter : public CLI::Formatter {
 public:
  /// @param width  Columns of the terminal.
  explicit HelpFormatter(std::size_t width);

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  /// "  name", with the text in the second column.
  std::string row(const std::string& name, const std::string& text) const;

  std::size_t width_;
};

/// "-j, --threads", "--[no-]flip"; for a positional its own name.
std::string option_names(const CLI::Option& option);

/// A text in lines of at most `width` characters, broken between words. @param indent  Spaces before each line except
/// the first.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace fernwood::apps
