// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

namespace fernwood {

// Adds a subcommand to `fernwood stream`.
void add_stream_generate(CLI::App& stream);
void add_stream_train(CLI::App& stream);
// Adds a subcommand to `fernwood stream bench`.
void add_stream_bench_sketches(CLI::App& bench);
void add_stream_bench_svantesson(CLI::App& bench);
void add_stream_bench_ding(CLI::App& bench);

}  // namespace fernwood
