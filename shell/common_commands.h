// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>

#include "fernwood/core/machine.h"

namespace fernwood::apps {

// Commands that every program has.

void add_completion_command(CLI::App& app);
/// @param measure  What the program has measured on the processor; null: nothing.
void add_doctor_command(CLI::App& app, ProcessorFacts (*measure)() = nullptr);

}  // namespace fernwood::apps
