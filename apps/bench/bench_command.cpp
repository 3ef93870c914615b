// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/bench/bench.h"
#include "apps/commands.h"

namespace fernwood::apps {

void add_bench_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Measure speed and energy on this machine")->fallthrough();
  command->require_subcommand(1);
  command->footer("\nExample:\n  fernwood bench train --data rooms/train --trees 1");
  add_bench_train(*command);
  add_bench_predict(*command);
}

}  // namespace fernwood::apps
