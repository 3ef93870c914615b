// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"

namespace fernwood::apps {

/// A program of subcommands.
struct Program {
  std::string name;
  std::string description;
  std::string footer;
  std::string guide = {};  ///< Printed on standard error if there are no arguments, in place of an error.
  void (*add_commands)(CLI::App&) = nullptr;  ///< their work is done while the command line is parsed
  InputRule is_read = &is_kept_in;            ///< Files that outputs must not replace, as they belong to an input.
};

/// Runs the program: logging, help, --version, --config, and exit codes of failures, including those before the command
/// line is parsed.
/// @return  The exit code: 0, an ErrorKind, or 1.
int run_program(const Program& program, int argc, char** argv);

// Commands that every program has.

void add_completion_command(CLI::App& app);
/// @param measure  What the program has measured on the processor; null: nothing.
void add_doctor_command(CLI::App& app, ProcessorFacts (*measure)() = nullptr);

}  // namespace fernwood::apps
