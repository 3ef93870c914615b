// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

namespace fernwood::apps {

// Each function adds one subcommand; its work is done while the command line is parsed.
void add_records_train(CLI::App& app);
void add_records_predict(CLI::App& app);
void add_records_evaluate(CLI::App& app);
void add_records_describe(CLI::App& app);
void add_records_explain(CLI::App& app);
void add_records_import(CLI::App& app);
void add_records_export(CLI::App& app);
void add_records_search(CLI::App& app);
void add_stream_generate(CLI::App& app);
void add_stream_command(CLI::App& app);

}  // namespace fernwood::apps
