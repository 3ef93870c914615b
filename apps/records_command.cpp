// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records_command.h"

#include "commands.h"

namespace fernwood {

void add_records_command(CLI::App& app) {
  CLI::App* records = app.add_subcommand("records", "Forests over tables of attributes")->fallthrough();
  records->require_subcommand(1);
  records->footer("\nExample:\n  fernwood records import --from model.json --out model.fernwood");
  add_records_import(*records);
}

}  // namespace fernwood
