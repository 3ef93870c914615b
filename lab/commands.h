// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

namespace fernwood::lab {

// Each function adds a subcommand to `fernwood-lab`.
void add_compare_command(CLI::App& app);
void add_filling_command(CLI::App& app);
void add_strategies_command(CLI::App& app);
void add_one_tree_command(CLI::App& app);
void add_styles_command(CLI::App& app);
void add_stream_command(CLI::App& app);
void add_sketches_command(CLI::App& app);
void add_stream_accuracy_command(CLI::App& app);
void add_stream_scaling_command(CLI::App& app);
void add_thesis_search_command(CLI::App& app);

}  // namespace fernwood::lab
