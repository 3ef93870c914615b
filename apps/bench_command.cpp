// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "bench.h"
#include "commands.h"

namespace fernwood {

void add_bench_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure speed and energy on this machine, and what choices are worth")
          ->fallthrough();
  command->require_subcommand(1);
  command->footer("\nExample:\n  fernwood bench train --data rooms/train --trees 1");
  add_bench_train(*command);
  add_bench_predict(*command);
  add_bench_compare(*command);
  add_bench_filling(*command);
}

}  // namespace fernwood
