// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/common/src/gil.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>

namespace fernwood::python {

namespace {

/// Longest wait for threads that were requested to stop; they check for requests several times a second.
constexpr std::chrono::seconds kTimeout{3};

/// All unfinished work of the process.
template <typename Entry>
struct Works {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Entry> entries;

  static Works& all() {
    static auto* const works = new Works;  // never destroyed: blocked threads may use it until the process ends
    return *works;
  }
};

/// The thread on which Python is exiting.
std::atomic<std::thread::id> exiting_thread;

std::terminate_handler previous_terminate = nullptr;

/// Handles the unwinding of a thread by Python that reaches a noexcept function before or_stay() catches it.
/// @pre  Python is exiting.
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
  // Some noexcept functions of nanobind, such as hasattr(), run Python code, in which Python may end a thread.
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
