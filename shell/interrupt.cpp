// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/interrupt.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::apps {

namespace {

std::stop_source& source() {
  static std::stop_source instance;
  return instance;
}

struct LastWords {
  std::mutex mutex;
  std::function<std::string()> words;
};

LastWords& exit_message() {
  static LastWords instance;
  return instance;
}

void print_exit_message() {
  const std::scoped_lock lock(exit_message().mutex);
  if (exit_message().words) spdlog::error(exit_message().words());
}

sigset_t interrupting_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  struct sigaction hangup;  // nohup makes programs ignore it
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

void watch_interrupts() {
  source();
  exit_message();
  const sigset_t signals = interrupting_signals();
  // Threads started later inherit the mask, so that only the watcher receives the signals.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int number = 0;
    sigwait(&signals, &number);
    print_exit_message();
    source().request_stop();
    sigwait(&signals, &number);
    _exit(static_cast<int>(ErrorKind::kInterrupted));
  }).detach();
}

std::stop_token interrupt_token() { return source().get_token(); }

void set_exit_message(std::function<std::string()> words) {
  const std::scoped_lock lock(exit_message().mutex);
  exit_message().words = std::move(words);
}

void throw_if_interrupted() { FW_CHECK(!source().stop_requested(), Interrupted, "interrupted"); }

}  // namespace fernwood::apps
