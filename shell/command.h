// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/communicator.h"
#include "shell/options.h"
#include "shell/output_files.h"
#include "shell/ranks.h"

namespace fernwood::apps {

/// The description of a subcommand. Members that are null: it needs none.
/// @param Arguments  A struct of its options, which add_to(command) adds.
template <typename Arguments>
struct Command {
  std::string name, summary;
  std::string example;  ///< A command line; further lines as they are to be printed.
  std::vector<Dependents> dependents = {};
  /// Checks the arguments, and sets those that follow from others. Done once in a process, before all below.
  void (Arguments::*finish)() = nullptr;
  CommandFiles (Arguments::*files)() const = nullptr;
  void (*run)(const Arguments& arguments) = nullptr;
  /// In place of run(), for work that ranks divide: called in each of them, of which the first one claims the files.
  void (*run_rank)(const Arguments& arguments, Communicator& ranks) = nullptr;
  /// The option --device if each GPU that it lists is a rank; null: only the processes that mpirun starts are.
  std::string (*device)(const Arguments& arguments) = nullptr;
};

/// Checks the arguments of a command and the files that it writes. @return  Locks of these, to be held during the work.
template <typename Arguments>
std::vector<OutputLock> begin_command(const Command<Arguments>& command, Arguments& arguments, bool finishes,
                                      bool writes) {
  if (command.finish && finishes) (arguments.*command.finish)();
  if (!command.files || !writes) return {};
  return claim_outputs((arguments.*command.files)());
}

/// Adds a subcommand, whose work is done while the command line is parsed.
/// @param arguments  With the defaults of its options.
template <typename Arguments>
void add_command(CLI::App& parent, const Command<Arguments>& command,
                 const std::shared_ptr<Arguments>& arguments = std::make_shared<Arguments>()) {
  CLI::App* const app = parent.add_subcommand(command.name, command.summary)->fallthrough();
  arguments->add_to(*app);
  app->footer("\nExample:\n  " + command.example);
  app->callback([app, command, arguments] {
    check_dependents(*app, command.dependents);
    if (command.run) {
      const std::vector<OutputLock> locks = begin_command(command, *arguments, true, true);
      return command.run(*arguments);
    }
    work_on_ranks(command.device ? command.device(*arguments) : "auto", [&](Communicator& ranks) {
      if (!command.finish && !command.files) return command.run_rank(*arguments, ranks);
      const bool leads = ranks.rank() == 0;
      const std::vector<OutputLock> locks = find_one_after_another(
          ranks, [&] { return begin_command(command, *arguments, leads || !ranks.is_one_process(), leads); });
      command.run_rank(*arguments, ranks);
    });
  });
}

}  // namespace fernwood::apps
