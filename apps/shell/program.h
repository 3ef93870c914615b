// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

namespace fernwood::apps {

/// Runs a program of subcommands: logging, --version, --config, exit codes of failures.
/// @param app  With its subcommands, whose work is done when the command line is parsed.
/// @return     The exit code: 0, an ErrorKind, or 1.
int run_program(CLI::App& app, int argc, char** argv);

}  // namespace fernwood::apps
