// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace fernwood::apps {

/// Turns the first Ctrl-C or SIGTERM into a stop request, so that work can end cleanly; the second one ends the program
/// at once. To be called before any thread is started.
void watch_interrupts();
/// Stop is requested on it when the user interrupts.
std::stop_token interrupt_token();
/// Sets a message to print on standard error as soon as the user, or mpirun, interrupts, for work that cannot check the
/// token: a process that waits for others is killed a moment later. Initially there is none.
/// @param words  Returns the message; called by a thread of its own.
void set_exit_message(std::function<std::string()> words);
/// @throws Error(kInterrupted) once the user has interrupted.
void throw_if_interrupted();

}  // namespace fernwood::apps
