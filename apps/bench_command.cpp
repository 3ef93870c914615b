// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "commands.h"
namespace fernwood {
void add_bench_command(CLI::App&) {}
}
