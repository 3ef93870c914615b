// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fernwood::apps {

struct ChildOptions {
  std::filesystem::path program = {};       ///< Is run in place of what the first word names, if not empty.
  std::filesystem::path output = {};        ///< Takes what it prints, and it has no input; empty: streams are ours.
  std::vector<std::string> variables = {};  ///< "NAME=value", in place of ours or besides them.
  bool has_own_session = false;             ///< Ctrl-C at our terminal does not reach it.
};

/// What came of starting a program.
struct Child {
  pid_t process = 0;
  int error_number = 0;  ///< Of the system when it could not be started, else 0.
};

/// Starts a program, without a shell; no other place of fernwood does. The child has the descriptors 0 to 2 alone, and
/// signals reach it as if a shell had started it. The caller waits for it, or has wait_in_background() do so.
/// @param words  The program, looked for as a shell would, and its arguments.
Child start_program(std::vector<std::string> words, const ChildOptions& options = {});

/// Waits for a child to end. @return  Its status as of waitpid().
int wait_for_child(pid_t process);

/// Waits for a child beside other work, so that nothing is left of it when it has ended.
void wait_in_background(pid_t process);

}  // namespace fernwood::apps
