// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fernwood::apps {

/// What may come next on a command line that is being written.
struct Completion {
  struct Candidate {
    std::string word, help;
  };
  enum class Kind { kWords, kFiles, kFolders };

  Kind kind = Kind::kWords;
  std::vector<Candidate> candidates =
      {};  ///< Of kWords, in the order of --help; those that begin as the last word does.
};

/// @param words  All of the line up to the cursor, the program's name first; the last one, which may be empty, is being
///               written. "--name=value" may be one word or, as bash has it, three. Words that nobody understands are
///               passed over. Values of choices come without "--name=" before them.
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

/// The options' names of a command, as they are typed: "--no-x" besides "--x".
std::vector<std::string> typed_names(const CLI::Option& option);

/// What asks the program for completions, in the language of a shell: bash, zsh or fish. @throws Error(kUsage).
std::string completion_script(const std::string& shell);

/// Writes the scripts of all shells, and a page of the manual for each command, below `prefix`/share, where shells and
/// man look for them. @throws Error(kRuntime) when a file cannot be written.
void install_shell_files(const CLI::App& app, const std::filesystem::path& prefix);

}  // namespace fernwood::apps
