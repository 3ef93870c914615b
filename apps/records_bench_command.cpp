// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records_bench.h"
#include "records_command.h"

namespace fernwood {

void add_records_bench(CLI::App& records) {
  CLI::App* command =
      records.add_subcommand("bench", "Time strategies of evaluation, and repeat two papers' experiments")
          ->fallthrough();
  command->require_subcommand(1);
  command->footer("\nExample:\n  fernwood records bench spencer");
  add_records_bench_strategies(*command);
  add_records_bench_spencer(*command);
  add_records_bench_styles(*command);
}

}  // namespace fernwood
