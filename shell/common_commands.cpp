// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "fernwood/core/error.h"
#include "shell/command.h"
#include "shell/completion.h"
#include "shell/console.h"
#include "shell/options.h"
#include "shell/program.h"

namespace fernwood::apps {

namespace {

struct CompletionArguments {
  std::string shell;  ///< Or "words": the request of the scripts.
  std::vector<std::string> words;
  std::filesystem::path prefix;
};

std::string answer(const Completion& next) {
  std::string text = next.kind == Completion::Kind::kFiles     ? "files\n"
                     : next.kind == Completion::Kind::kFolders ? "folders\n"
                                                               : "words\n";
  for (const Completion::Candidate& one : next.candidates) text += one.word + "\t" + one.help + "\n";
  return text;
}

void run(const CLI::App& app, const CompletionArguments& arguments) {
  FW_CHECK(
      arguments.shell.empty() != arguments.prefix.empty(), Usage,
      "use a shell, whose completion is printed, or --install DIR; see " << app.get_name() << " completion --help");
  FW_CHECK(arguments.words.empty() || arguments.shell == "words", Usage,
           app.get_name() << " completion does not know what \"" << arguments.words.front() << "\" is for");
  if (!arguments.prefix.empty())
    install_shell_files(app, arguments.prefix);
  else
    std::cout << (arguments.shell == "words" ? answer(complete(app, arguments.words))
                                             : completion_script(app, arguments.shell));
}

struct DoctorArguments {
  ProcessorFacts (*measure)() = nullptr;
  bool json = false;

  void add_to(CLI::App& command) { add_json_flag(command, json); }
};

void run(const DoctorArguments& arguments, Communicator& ranks) {
  RanksReport found;
  if (ranks.size() > 1) found = inspect_ranks(ranks);
  if (ranks.rank() != 0) return;
  MachineReport report = inspect_machine();
  report.ranks = found;
  const ProcessorFacts measured = arguments.measure ? arguments.measure() : ProcessorFacts();
  std::cout << (arguments.json ? machine_json(report, measured)
                               : machine_table(report, ranks.size() == 1 && use_color(stdout), measured));
}

}  // namespace

void add_completion_command(CLI::App& app) {
  auto arguments = std::make_shared<CompletionArguments>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a shell's completion of commands and options, or install it");
  command->add_option("shell", arguments->shell, "Shell whose completion is printed")->option_text("bash|zsh|fish");
  command->add_option("words", arguments->words, "Words of a line that is being written")->group("");
  command->add_option("--install", arguments->prefix, "Write the completion of all shells below DIR/share")
      ->option_text("DIR");
  command->footer("\nExample:\n  " + app.get_name() + " completion --install ~/.local\n  source <(" + app.get_name() +
                  " completion bash)");
  command->callback([&app, arguments] { run(app, *arguments); });
}

void add_doctor_command(CLI::App& app, ProcessorFacts (*measure)()) {
  const auto arguments = std::make_shared<DoctorArguments>();
  arguments->measure = measure;
  add_command<DoctorArguments>(
      app,
      {.name = "doctor",
       .summary = "Show the capabilities of this build and machine, and missing parts",
       .example = app.get_name() + " doctor\n  mpirun -n 4 --bind-to none " + app.get_name() + " doctor",
       .run_rank = run},
      arguments);
}

}  // namespace fernwood::apps
