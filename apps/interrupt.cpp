// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "fernwood/core/error.h"

namespace fernwood {

namespace {

std::stop_source& source() {
  static std::stop_source instance;
  return instance;
}

sigset_t interrupting_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

void watch_interrupts() {
  source();
  const sigset_t signals = interrupting_signals();
  // Threads started from here on inherit the mask, so that only the watcher sees the signals.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int number = 0;
    sigwait(&signals, &number);
    source().request_stop();
    sigwait(&signals, &number);
    _exit(static_cast<int>(ErrorKind::kInterrupted));
  }).detach();
}

std::stop_token interrupt_token() { return source().get_token(); }

void throw_if_interrupted() { FW_CHECK(!source().stop_requested(), Interrupted, "interrupted"); }

}  // namespace fernwood
