// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/records/records_command.h"

#include "apps/commands.h"

namespace fernwood::apps {

void add_records_command(CLI::App& app) {
  CLI::App* records = app.add_subcommand("records", "Forests over tables of attributes")->fallthrough();
  records->require_subcommand(1);
  records->footer(
      "\nExample:\n  fernwood records train --data train.csv --out model.fernwood\n"
      "  fernwood records evaluate --model model.fernwood --data test.csv\n"
      "  fernwood records predict --model model.fernwood --data new.csv --out classes.csv");
  add_records_train(*records);
  add_records_predict(*records);
  add_records_evaluate(*records);
  add_records_import(*records);
}

}  // namespace fernwood::apps
