// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Checks of values that the command line library does not make.

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>

namespace fernwood::apps {

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

}  // namespace fernwood::apps
