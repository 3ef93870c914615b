// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/shell/console.h"
#include "fernwood/core/machine.h"
#include "fernwood/report/description.h"

namespace fernwood::apps {

void add_doctor_command(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("doctor", "Show what this build and this machine can do, and what is missing")->fallthrough();
  command->add_flag("--json", *json, "Print JSON");
  command->footer("\nExample:\n  fernwood doctor");
  command->callback([json] {
    const MachineReport report = inspect_machine();
    std::cout << (*json ? report::machine_json(report) : report::machine_table(report, use_color(STDOUT_FILENO)));
  });
}

}  // namespace fernwood::apps
