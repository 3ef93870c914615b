// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/commands.h"
#include "apps/shell/program.h"

int main(int argc, char** argv) {
  CLI::App app("Random forests that give every pixel of an RGB-D frame a class.", "fernwood");
  app.footer(
      "\nExample:\n  fernwood dataset generate --out rooms --frames 40\n  fernwood train --data rooms/train --out "
      "rooms.fernwood\n"
      "  fernwood evaluate --model rooms.fernwood --data rooms/test\n\n"
      "fernwood COMMAND --help tells more about a command.");
  fernwood::apps::add_commands(app);
  return fernwood::apps::run_program(app, argc, argv);
}
