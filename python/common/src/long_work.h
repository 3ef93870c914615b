// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Long work that Ctrl-C interrupts, and that reports its progress to Python.

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
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

/// Passes the latest progress to tell(phase, detail, done), for run_interruptibly(). @param tell  May be None.
inline std::function<void()> teller(ProgressSlot<ProgressWords>& slot, const nb::object& tell) {
  if (tell.is_none()) return {};
  return [&slot, tell] {
    if (const auto words = slot.take()) tell(words->phase, words->detail, words->done);
  };
}

/// run_interruptibly() for work with a ProgressCallback. @param work  work(const ProgressCallback&)
template <typename Work>
auto run_counted(const char* phase, const nb::object& tell, const Work& work) {
  begin_threads();
  ProgressSlot<ProgressWords> slot;
  return run_interruptibly(
      [&](const std::stop_token& stop) {
        return work([&](std::size_t done, std::size_t total) {
          FW_CHECK(!stop.stop_requested(), Interrupted, phase << " was interrupted");
          slot.put({phase, std::to_string(done) + " of " + std::to_string(total),
                    total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1});
        });
      },
      teller(slot, tell));
}

}  // namespace fernwood::python
