// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/interrupt.h"

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

LastWords& last_words() {
  static LastWords instance;
  return instance;
}

void say_last_words() {
  const std::scoped_lock lock(last_words().mutex);
  if (last_words().words) spdlog::error(last_words().words());
}

sigset_t interrupting_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  struct sigaction hangup;  // ignored by what nohup starts
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

void watch_interrupts() {
  source();
  last_words();
  const sigset_t signals = interrupting_signals();
  // Threads started from here on inherit the mask, so that only the watcher sees the signals.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int number = 0;
    sigwait(&signals, &number);
    say_last_words();
    source().request_stop();
    sigwait(&signals, &number);
    _exit(static_cast<int>(ErrorKind::kInterrupted));
  }).detach();
}

std::stop_token interrupt_token() { return source().get_token(); }

void set_last_words(std::function<std::string()> words) {
  const std::scoped_lock lock(last_words().mutex);
  last_words().words = std::move(words);
}

void throw_if_interrupted() { FW_CHECK(!source().stop_requested(), Interrupted, "interrupted"); }

}  // namespace fernwood::apps
