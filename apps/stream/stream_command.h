// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

namespace fernwood::apps {

// Adds a subcommand to `fernwood stream`.
void add_stream_generate(CLI::App& stream);
void add_stream_train(CLI::App& stream);

}  // namespace fernwood::apps
