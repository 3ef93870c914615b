// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fernwood::apps {

/// Possible continuations of an incomplete command line.
struct Completion {
  struct Candidate {
    std::string word, help;
  };
  enum class Kind { kWords, kFiles, kFolders };

  Kind kind = Kind::kWords;
  std::vector<Candidate> candidates = {};  ///< For kWords, in the order of --help; those that start with the last word.
};

/// @param words  The line up to the cursor, starting with the program's name; the last word, which may be empty, is
///               being typed. "--name=value" may be one word or, in bash, three. Unknown words are skipped. Candidates
///               for values do not include "--name=".
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

/// Whether the values of an option are names of files or folders.
bool takes_path(const CLI::Option& option);

/// The completion script of a shell: bash, zsh or fish. It calls the program for candidates. @throws Error(kUsage).
std::string completion_script(const CLI::App& app, const std::string& shell);

/// Writes the scripts of all shells below `prefix`/share, where shells search for them.
/// @throws Error(kRuntime) when a file cannot be written.
void install_shell_files(const CLI::App& app, const std::filesystem::path& prefix);

}  // namespace fernwood::apps
