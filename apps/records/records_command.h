// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

namespace fernwood::apps {

// Each adds one subcommand of `fernwood records`.
void add_records_train(CLI::App& records);
void add_records_predict(CLI::App& records);
void add_records_evaluate(CLI::App& records);
void add_records_import(CLI::App& records);

}  // namespace fernwood::apps
