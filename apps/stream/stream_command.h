// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "fernwood/stream/stream_options.h"

namespace fernwood::apps {

/// Options of how a tree is grown from a stream, which commands share.
struct StreamArguments {
  stream::StreamOptions options;
  std::string schedule = "passes", criterion = "gini";
  std::optional<double> failure_probability;

  void add_to(CLI::App& command);
  /// Turns words into values. @throws Error(kUsage).
  stream::StreamOptions finish() const;
};

// Adds a subcommand to `fernwood stream`.
void add_stream_generate(CLI::App& stream);
void add_stream_train(CLI::App& stream);

}  // namespace fernwood::apps
