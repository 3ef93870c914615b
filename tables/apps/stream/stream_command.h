// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

#include "fernwood/stream/stream_options.h"
#include "shell/options.h"

namespace fernwood::apps {

/// Options of training on a stream, as given on the command line.
struct StreamArguments {
  OptionTexts given;

  void add_to(CLI::App& command) { add_table(command, stream::StreamOptions(), append_to(given)); }
  /// @throws Error(kUsage).
  stream::StreamOptions finish() const;
};

/// Adds a subcommand to `fernwood-tables stream`.
void add_stream_train(CLI::App& stream);

}  // namespace fernwood::apps
