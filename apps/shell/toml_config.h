// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace fernwood::apps {

/// Reads what --config names: TOML, with a table for each subcommand. The parser that comes with the command line
/// library takes a # between quotes for a comment, and colours may begin with one.
std::shared_ptr<CLI::Config> make_toml_config();

}  // namespace fernwood::apps
