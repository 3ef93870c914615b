// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/tables_commands.h"
#include "shell/program.h"

namespace fernwood::apps {
namespace {

/// In the order of --help.
void add_table_commands(CLI::App& app) {
  add_records_train(app);
  add_records_predict(app);
  add_records_evaluate(app);
  add_records_describe(app);
  add_records_explain(app);
  add_records_import(app);
  add_records_export(app);
  add_records_search(app);
  add_stream_generate(app);
  add_stream_command(app);
  add_doctor_command(app);
  add_completion_command(app);
}

/// From nothing to predicted classes in a minute, with commands to copy.
constexpr const char* kTablesGuide =
    "fernwood-tables grows random forests and trees on tables and streams. Without data of your own:\n"
    "  fernwood-tables generate --records 20000 --out train.csv\n"
    "  fernwood-tables train --data train.csv --out model.fernwood\n"
    "  fernwood-tables predict --model model.fernwood --data train.csv --out classes.csv\n"
    "All commands: fernwood-tables help; one of them: fernwood-tables help train; this machine: fernwood-tables "
    "doctor.\n";

}  // namespace
}  // namespace fernwood::apps

int main(int argc, char** argv) {
  return fernwood::apps::run_program(
      {.name = "fernwood-tables",
       .description = "Trees on tables of attributes and on streams of records.",
       .footer = "\nExample:\n  fernwood-tables train --data train.csv --out model.fernwood\n"
                 "  fernwood-tables evaluate --model model.fernwood --data test.csv\n"
                 "  fernwood-tables predict --model model.fernwood --data new.csv --out classes.csv\n\n"
                 "Run fernwood-tables help COMMAND for the options of a command.",
       .guide = fernwood::apps::kTablesGuide,
       .add_commands = fernwood::apps::add_table_commands},
      argc, argv);
}
