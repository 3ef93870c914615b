// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/description.h"
#include "lab/commands.h"
#include "shell/program.h"

namespace fernwood::lab {
namespace {

void add_commands(CLI::App& app) {
  add_compare_command(app);
  add_filling_command(app);
  add_strategies_command(app);
  add_one_tree_command(app);
  add_styles_command(app);
  add_stream_command(app);
  add_sketches_command(app);
  add_stream_accuracy_command(app);
  add_stream_scaling_command(app);
  add_thesis_search_command(app);
}

}  // namespace
}  // namespace fernwood::lab

int main(int argc, char** argv) {
  return fernwood::apps::run_program(
      {.name = "fernwood-lab",
       .description = "The papers' experiments, and measurements of what fernwood was chosen against.",
       .footer = "\nExample:\n  fernwood-lab one-tree\n  fernwood-lab sketches --values 100000\n\n"
                 "fernwood-lab help COMMAND shows the options of a command.",
       .add_commands = fernwood::lab::add_commands,
       .is_read = fernwood::report::is_read_with},
      argc, argv);
}
