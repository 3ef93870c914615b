// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/report/description.h"
#include "shell/program.h"

namespace fernwood::apps {
namespace {

/// In the order of --help.
void add_commands(CLI::App& app) {
  add_train_command(app);
  add_predict_command(app);
  add_evaluate_command(app);
  add_describe_command(app);
  add_explain_command(app);
  add_importance_command(app);
  add_study_command(app);
  add_search_command(app);
  add_dataset_command(app);
  add_backbone_command(app);
  add_verify_command(app);
  add_bench_command(app);
  add_doctor_command(app, [] { return report::processor_facts(forest::gather_report()); });
  add_live_command(app);
  add_map_command(app);
  add_teach_command(app);
  add_completion_command(app);
}

/// From nothing to labelled images in a minute, with commands to copy.
constexpr const char* kGuide =
    "fernwood labels RGB-D frames by random forests and boosted trees. Without data of your own:\n"
    "  fernwood dataset generate --out rooms --frames 20\n"
    "  fernwood train --data rooms/train --out rooms.fernwood --preset fast\n"
    "  fernwood predict --model rooms.fernwood --data rooms/test --out labels --overlay\n"
    "All commands: fernwood help; one of them: fernwood help train; this machine: fernwood doctor.\n";

}  // namespace
}  // namespace fernwood::apps

int main(int argc, char** argv) {
  return fernwood::apps::run_program(
      {.name = "fernwood",
       .description = "Semantic segmentation of RGB-D frames with boosted trees and random forests.",
       .footer =
           "\nExample:\n  fernwood dataset generate --out rooms --frames 40\n  fernwood train --data rooms/train --out "
           "rooms.fernwood\n"
           "  fernwood evaluate --model rooms.fernwood --data rooms/test\n\n"
           "Run fernwood help COMMAND for the options of a command.",
       .guide = fernwood::apps::kGuide,
       .add_commands = fernwood::apps::add_commands,
       .is_read = fernwood::report::is_read_with},
      argc, argv);
}
