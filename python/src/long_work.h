// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Long work that reports its progress to Python.

#include <memory>

#include "fernwood/core/progress.h"
#include "fernwood/report/format.h"
#include "python/src/datasets.h"
#include "python/src/interruptible.h"

namespace fernwood::python {

/// Passes the latest progress to tell(phase, detail, done), for run_interruptibly(). @param tell  May be None.
inline std::function<void()> teller(ProgressSlot<report::ProgressWords>& slot, const nb::object& tell) {
  if (tell.is_none()) return {};
  return [&slot, tell] {
    if (const auto words = slot.take()) tell(words->phase, words->detail, words->done);
  };
}

/// Warnings on their way from the thread of a task to warnings.warn() in Python's thread.
class PendingWarnings {
 public:
  /// @param said  Earlier warnings, which are not repeated; new ones are added.
  explicit PendingWarnings(std::shared_ptr<SaidWarnings> said) : said_(std::move(said)) {}

  void put(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    if (said_->is_new(sentence)) pending_.push_back(sentence);
  }
  /// Requires the GIL. @throws nb::python_error where warnings are errors.
  void say() {
    std::vector<std::string> sentences;
    {
      const std::lock_guard lock(mutex_);
      sentences.swap(pending_);
    }
    warn(sentences);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<SaidWarnings> said_;
  std::vector<std::string> pending_;
};

/// teller() that also gives the pending warnings.
inline std::function<void()> teller(ProgressSlot<report::ProgressWords>& slot, const nb::object& tell,
                                    PendingWarnings& warnings) {
  return [&warnings, tell_progress = teller(slot, tell)] {
    warnings.say();
    if (tell_progress) tell_progress();
  };
}

/// run_interruptibly() for work with a ProgressCallback. @param work  work(const ProgressCallback&)
template <typename Work>
auto run_counted(const char* phase, const nb::object& tell, const Work& work) {
  begin_threads();
  ProgressSlot<report::ProgressWords> slot;
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
