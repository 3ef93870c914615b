// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "shell/common_commands.h"
#include "shell/console.h"
#include "shell/options.h"
#include "shell/ranks.h"

namespace fernwood::apps {

void add_doctor_command(CLI::App& app, ProcessorFacts (*measure)()) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("doctor", "Show the capabilities of this build and machine, and missing parts")->fallthrough();
  add_json_flag(*command, *json);
  command->footer("\nExample:\n  " + app.get_name() + " doctor\n  mpirun -n 4 --bind-to none " + app.get_name() +
                  " doctor");
  command->callback([json, measure] {
    work_on_ranks("auto", [json, measure](Communicator& ranks) {
      RanksReport found;
      if (ranks.size() > 1) found = inspect_ranks(ranks);
      if (ranks.rank() != 0) return;
      MachineReport report = inspect_machine();
      report.ranks = found;
      const ProcessorFacts measured = measure ? measure() : ProcessorFacts();
      std::cout << (*json ? machine_json(report, measured)
                          : machine_table(report, ranks.size() == 1 && use_color(STDOUT_FILENO), measured));
    });
  });
}

}  // namespace fernwood::apps
