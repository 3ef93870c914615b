// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <stop_token>

namespace fernwood {

/// Turns the first Ctrl-C or SIGTERM into a request to stop, so that work can end cleanly; the second ends the program
/// at once. Call before any thread is started.
void watch_interrupts();
/// Asked to stop once the user interrupts.
std::stop_token interrupt_token();
/// @throws Error(kInterrupted).
void throw_if_interrupted();

}  // namespace fernwood
