// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

namespace fernwood::apps {

// Each adds one subcommand to the program; its work is done when the command line is parsed. `config` is where
// --config was stored, for the run reports.
void add_train_command(CLI::App& app);
void add_predict_command(CLI::App& app);
void add_evaluate_command(CLI::App& app);
void add_describe_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_importance_command(CLI::App& app);
void add_study_command(CLI::App& app);
void add_dataset_command(CLI::App& app);
void add_verify_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_doctor_command(CLI::App& app);
void add_live_command(CLI::App& app);
void add_records_command(CLI::App& app);
void add_stream_command(CLI::App& app);

/// All of them, in the order in which --help lists them.
inline void add_commands(CLI::App& app) {
  add_train_command(app);
  add_predict_command(app);
  add_evaluate_command(app);
  add_describe_command(app);
  add_explain_command(app);
  add_importance_command(app);
  add_study_command(app);
  add_dataset_command(app);
  add_verify_command(app);
  add_bench_command(app);
  add_doctor_command(app);
  add_live_command(app);
  add_records_command(app);
  add_stream_command(app);
}

}  // namespace fernwood::apps
