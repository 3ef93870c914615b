// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fernwood::apps {

/// A program of subcommands.
struct Program {
  std::string name;
  std::string description;
  std::string footer;
  std::string guide = {};  ///< Printed on standard error when nothing is given, in place of what is missing.
  void (*add_commands)(CLI::App&) = nullptr;  ///< their work is done when the command line is parsed
};

/// Runs it: logging, help, --version, --config, exit codes of failures, also of those before the command line is read.
/// @return  The exit code: 0, an ErrorKind, or 1.
int run_program(const Program& program, int argc, char** argv);

}  // namespace fernwood::apps
