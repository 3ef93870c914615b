// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "fernwood/core/error.h"
#include "shell/common_commands.h"
#include "shell/completion.h"

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
      "give a shell, whose completion is printed, or --install DIR; see " << app.get_name() << " completion --help");
  FW_CHECK(arguments.words.empty() || arguments.shell == "words", Usage,
           app.get_name() << " completion does not know what \"" << arguments.words.front() << "\" is for");
  if (!arguments.prefix.empty())
    install_shell_files(app, arguments.prefix);
  else
    std::cout << (arguments.shell == "words" ? answer(complete(app, arguments.words))
                                             : completion_script(app, arguments.shell));
}

}  // namespace

void add_completion_command(CLI::App& app) {
  auto arguments = std::make_shared<CompletionArguments>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a shell's completion of commands and options, or install it");
  command->add_option("shell", arguments->shell, "Shell whose completion is printed")->option_text("bash|zsh|fish");
  command->add_option("words", arguments->words, "Of a line that is being written")->group("");
  command->add_option("--install", arguments->prefix, "Write the completion of all shells below DIR/share")
      ->option_text("DIR");
  command->footer("\nExample:\n  " + app.get_name() + " completion --install ~/.local\n  source <(" + app.get_name() +
                  " completion bash)");
  command->callback([&app, arguments] { run(app, *arguments); });
}

}  // namespace fernwood::apps
