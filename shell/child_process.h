// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fernwood::apps {

struct ChildOptions {
  std::filesystem::path output = {};  ///< Receives its output, and it has no input; empty: streams are inherited.
  bool has_own_session = false;       ///< Ctrl-C at this terminal does not reach it.
};

/// Result of starting a program.
struct Child {
  pid_t process = 0;
  int error_number = 0;  ///< System error number if it could not be started, else 0.
};

/// Starts a program, without a shell; all programs started by fernwood go through this function. The child has only the
/// descriptors 0 to 2, and receives signals as if a shell had started it. The caller must wait for it, or call
/// wait_in_background().
/// @param words  The program, searched for as by a shell, and its arguments.
Child start_program(std::vector<std::string> words, const ChildOptions& options = {});

/// Waits for a child to end. @return  Its status as from waitpid().
int wait_for_child(pid_t process);

/// Waits for a child on another thread, so that no zombie remains when it has ended.
void wait_in_background(pid_t process);

}  // namespace fernwood::apps
