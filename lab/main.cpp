// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/program.h"
#include "lab/commands.h"

int main(int argc, char** argv) {
  using namespace fernwood::lab;
  CLI::App app("The papers' experiments, and measurements of what fernwood was chosen against.", "fernwood-lab");
  app.footer(
      "\nExample:\n  fernwood-lab spencer\n  fernwood-lab sketches --values 100000\n\n"
      "fernwood-lab COMMAND --help tells more about a command.");
  add_compare_command(app);
  add_filling_command(app);
  add_strategies_command(app);
  add_spencer_command(app);
  add_styles_command(app);
  add_stream_command(app);
  add_sketches_command(app);
  add_svantesson_command(app);
  add_ding_command(app);
  add_thesis_search_command(app);
  return fernwood::apps::run_program(app, argc, argv);
}
