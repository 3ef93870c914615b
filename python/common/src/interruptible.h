// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Long work that Ctrl-C interrupts.

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "python/common/src/bindings.h"
#include "python/common/src/gil.h"

namespace fernwood::python {

/// The latest progress of a task, passed from its thread to Python's.
template <typename Progress>
class ProgressSlot {
 public:
  void put(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    newest_ = progress;
  }
  std::optional<Progress> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(newest_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<Progress> newest_;
};

/// Runs work in another thread without the GIL, while the calling thread runs Python's signal handlers ten times a
/// second: on KeyboardInterrupt, or if `tell` throws, the work is requested to stop and waited for.
/// @param work  work(std::stop_token)
/// @param tell  Called with the GIL, ten times a second and once at the end, to report progress to Python.
/// @return  The result of the work. @throws  The exception of the work, or the one that Python raised.
template <typename Work>
auto run_interruptibly(const Work& work, const std::function<void()>& tell) {
  using Result = std::invoke_result_t<Work, std::stop_token>;
  std::optional<Result> result;
  std::exception_ptr failure;
  std::optional<nb::python_error> raised;
  {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    const WithoutGil without_gil;
    std::jthread thread([&](const std::stop_token& stop) {
      try {
        result.emplace(work(stop));
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    std::optional<Underway> underway(std::in_place, [&] { thread.request_stop(); });
    for (bool ended = false; !ended;) {
      {
        std::unique_lock lock(mutex);
        ended = changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; });
      }
      if (raised || underway->was_told()) continue;
      const WithGil with_gil;
      try {
        or_stay([&] {
          if (PyErr_CheckSignals() != 0) nb::raise_python_error();
          if (tell) tell();
        });
      } catch (nb::python_error& error) {
        raised.emplace(std::move(error));
        thread.request_stop();
      }
    }
    const bool python_exits = underway->was_told();
    underway.reset();
    if (python_exits) stay();
  }
  if (raised) throw std::move(*raised);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace fernwood::python
