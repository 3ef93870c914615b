// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

namespace fernwood::apps {

// Each function adds one subcommand to the program; its work is done while the command line is parsed.
void add_train_command(CLI::App& app);
void add_predict_command(CLI::App& app);
void add_evaluate_command(CLI::App& app);
void add_describe_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_importance_command(CLI::App& app);
void add_study_command(CLI::App& app);
void add_search_command(CLI::App& app);
void add_dataset_command(CLI::App& app);
void add_dataset_import(CLI::App& dataset);  // subcommands of `dataset`
void add_dataset_arrange(CLI::App& dataset);
void add_backbone_command(CLI::App& app);
void add_verify_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_live_command(CLI::App& app);
void add_map_command(CLI::App& app);
void add_teach_command(CLI::App& app);

}  // namespace fernwood::apps
