// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace fernwood::apps {

/// Turns the first Ctrl-C or SIGTERM into a request to stop, so that work can end cleanly; the second ends the program
/// at once. Call before any thread is started.
void watch_interrupts();
/// Asked to stop once the user interrupts.
std::stop_token interrupt_token();
/// What to say on standard error as soon as the user, or mpirun, interrupts, for work that cannot look at the token: a
/// process that waits for others is killed a moment later. At first nothing is said.
/// @param words  Called by a thread of its own.
void set_exit_message(std::function<std::string()> words);
/// @throws Error(kInterrupted).
void throw_if_interrupted();

}  // namespace fernwood::apps
