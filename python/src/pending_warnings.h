// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Warnings of long work that reports its progress.

#include <memory>

#include "python/common/src/long_work.h"
#include "python/src/datasets.h"

namespace fernwood::python {

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
inline std::function<void()> teller(ProgressSlot<ProgressWords>& slot, const nb::object& tell,
                                    PendingWarnings& warnings) {
  return [&warnings, tell_progress = teller(slot, tell)] {
    warnings.say();
    if (tell_progress) tell_progress();
  };
}

}  // namespace fernwood::python
