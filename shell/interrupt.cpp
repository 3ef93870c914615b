// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/interrupt.h"

#include <spdlog/spdlog.h>

#include <mutex>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"

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

}  // namespace

void watch_interrupts() {
  source();
  exit_message();
  const auto stop = [] {
    {
      const std::scoped_lock lock(exit_message().mutex);
      if (exit_message().words) spdlog::error(exit_message().words());
    }
    source().request_stop();
  };
  platform::on_interrupt(stop, static_cast<int>(ErrorKind::kInterrupted));
}

std::stop_token interrupt_token() { return source().get_token(); }

void set_exit_message(std::function<std::string()> words) {
  const std::scoped_lock lock(exit_message().mutex);
  exit_message().words = std::move(words);
}

void throw_if_interrupted() { FW_CHECK(!source().stop_requested(), Interrupted, "interrupted"); }

}  // namespace fernwood::apps
