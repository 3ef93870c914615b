// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fernwood::apps {

/// What is wrong with a command line, and where to read on, in one sentence.
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& failure);

}  // namespace fernwood::apps
