// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/src/gil.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>

namespace fernwood::python {

namespace {

/// Threads that are asked to stop look up some times a second.
constexpr std::chrono::seconds kTimeout{3};

/// All work of the process.
template <typename Entry>
struct Works {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Entry> entries;

  static Works& all() {
    static auto* const works = new Works;  // never destroyed: threads that stay may come here until the very end
    return *works;
  }
};

/// The thread on which Python exits.
std::atomic<std::thread::id> exiting_thread;

std::terminate_handler previous_terminate = nullptr;

/// Where a thread's unwinding by Python comes to a function that may not throw, before or_stay() has seen it.
/// @pre  Python exits.
[[noreturn]] void terminate_or_stay() {
  if (!std::current_exception() && exiting_thread.load() != std::this_thread::get_id()) stay();
  if (previous_terminate != nullptr) previous_terminate();
  std::abort();
}

}  // namespace

bool python_is_over() { return Py_IsInitialized() == 0 && exiting_thread.load() != std::this_thread::get_id(); }

Underway::Underway(std::function<void()> stop) {
  auto& works = Works<Entry>::all();
  const std::lock_guard lock(works.mutex);
  entry_ = works.entries.insert(works.entries.end(), {std::move(stop)});
}

Underway::~Underway() {
  auto& works = Works<Entry>::all();
  const std::lock_guard lock(works.mutex);
  works.entries.erase(entry_);
  works.changed.notify_all();
}

bool Underway::was_told() const {
  const std::lock_guard lock(Works<Entry>::all().mutex);
  return entry_->told;
}

void end_work() {
  exiting_thread = std::this_thread::get_id();
  // Some functions of nanobind, as hasattr(), may not throw and run code of Python, in which it ends threads.
  previous_terminate = std::set_terminate(&terminate_or_stay);
  if (threads_are_lost()) return;
  auto& works = Works<Underway::Entry>::all();
  const WithoutGil without_gil;
  std::unique_lock lock(works.mutex);
  for (Underway::Entry& entry : works.entries) {
    entry.told = true;
    entry.stop();
  }
  works.changed.wait_for(lock, kTimeout, [&] { return works.entries.empty(); });
}

}  // namespace fernwood::python
